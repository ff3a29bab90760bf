import ArgumentParser
import Audit

/// `greentea-replay at`: what was the case at a moment.
struct AtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at",
        abstract: "What was the case at a moment of the past: a card, a shop, an account, a campaign, ratings or statistics.",
        discussion: """
            A position means: when that event had happened, and none after it. A time means: before the first event later than it, \
            in the order of the log. `greentea-replay --at MOMENT …` without a subcommand is the same.

            Ask for \(PastSubject.usage). Fields that are sealed stay sealed.

            EXAMPLES
              A card as it was at the end of the year:
                greentea-replay at --data data --at 2026-12-31T23:59:59Z card card_01hv5x0000e008000000000000
              Every shop's rating when 5,000 events had happened, as JSON lines:
                greentea-replay at --data data --at 5000 --format jsonl ratings
              A shop's November as it was known on the 20th:
                greentea-replay at --data data --at 2026-11-20T00:00:00Z --from 2026-11-01 --to 2026-11-30 statistics shop_01…

            EXIT CODES
              0   answered
              1   there was no such thing then
              2   it could not be done: no data folder, an unreadable log; the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("The moment: a position, or a time (RFC 3339).", valueName: "position|time"))
    var at: String

    @OptionGroup var past: PastOptions

    @Option(help: "text or jsonl.")
    var format: OutputFormat = .text

    @Argument(help: ArgumentHelp("What to ask about, such as: card card_01…", valueName: "what"))
    var words: [String]

    func validate() throws { _ = try (PastOptions.bound(at), past.subject(words)) }

    func run() throws {
        try Refusal.report {
            let task = TravelTask(folder: try AuditedFolder(data), format: format, options: past)
            try task.answer(try past.subject(words), at: try PastOptions.bound(at))
        }
    }
}
