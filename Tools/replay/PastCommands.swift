import ArgumentParser
import Audit
import PastStates

/// `greentea-replay at`: prints the state of a subject, such as a card or a shop, at a past moment.
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
              2   it could not be done: no data folder, an unreadable log; the error names
                  the remedy
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

    func validate() throws { _ = try (ReplayBound(parsing: at), past.subject(words)) }

    func run() throws {
        try ErrorReport.report {
            let task = TravelTask(folder: try AuditedFolder(asOwner: data), format: format, options: past)
            try task.answer(try past.subject(words), at: try ReplayBound(parsing: at))
        }
    }
}

/// `greentea-replay diff`: prints the changes between two past moments.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "What changed between two moments: in every read model, or of one card, shop, account or campaign.",
        discussion: """
            Of every table of every read model: how many rows were added, removed and changed, and the first ones. Of one thing: \
            its fields at both moments, and the events between them. `greentea-replay --diff A B …` without a subcommand is the \
            same.

            Of the read models one after the other is replayed; the earlier rows lie in files meanwhile, in DIR/derived/audit or, \
            where nothing can be written there, in TMPDIR. So one state of one model is in memory, and the rows that are shown: \
            all of them with --limit 0.

            EXAMPLES
              What the last hundred of 5,000 events did, with every row:
                greentea-replay diff --data data --limit 0 4900 5000
              What became of a card in November:
                greentea-replay diff --data data 2026-11-01T00:00:00Z 2026-12-01T00:00:00Z card card_01hv5x0000e008000000000000

            EXIT CODES
              0   shown, whether anything changed or not
              1   there was no such thing at either moment
              2   it could not be done: no data folder, an unreadable log; the error names
                  the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @OptionGroup var past: PastOptions

    @Option(help: "text or jsonl.")
    var format: OutputFormat = .text

    @Argument(help: ArgumentHelp("The earlier moment: a position, or a time (RFC 3339).", valueName: "position|time"))
    var from: String

    @Argument(help: ArgumentHelp("The later moment.", valueName: "position|time"))
    var to: String

    @Argument(help: ArgumentHelp("Only this thing, such as: card card_01…", valueName: "what"))
    var words: [String] = []

    func validate() throws { _ = try (ReplayBound(parsing: from), ReplayBound(parsing: to), past.thing(words)) }

    func run() throws {
        try ErrorReport.report {
            let task = TravelTask(folder: try AuditedFolder(asOwner: data), format: format, options: past)
            try task.difference(from: try ReplayBound(parsing: from), to: try ReplayBound(parsing: to), of: try past.thing(words))
        }
    }
}
