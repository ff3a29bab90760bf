import ArgumentParser
import Audit
import Foundation

/// `greentea-replay`: reads the log, prints what is in it, what it amounts to, or whether the read models agree with it.
@main
struct GreenTeaReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-replay",
        abstract: "Replay the log: print events, digest the state they amount to, or check the read models against it.",
        discussion: """
            The log is opened for reading only, so this may run beside a server; it needs no keys, and sealed fields stay sealed.

            EXAMPLES
              Every event, one line each:
                greentea-replay --data data
              One card's story:
                greentea-replay --data data --tag card:card_01hv5x0000e008000000000000
              Who redeemed before the new year, as JSON lines:
                greentea-replay --data data --type CardRedeemed --until 2026-12-31T23:59:59Z --format jsonl
              The state that the first 1,000 events amount to, in one line that is the same on every machine:
                greentea-replay --data data --until 1000 --digest
              Are the read models what the log says?
                greentea-replay --data data --compare

            EXIT CODES
              0   done; with --compare: equal
              1   --compare found a difference or a damaged model, which is named
              2   it could not be done: no data folder, an unreadable log; the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(
        help: ArgumentHelp(
            "End with this position, or before the first event later than this time (RFC 3339).", valueName: "position|time"))
    var until: String?

    @Option(help: ArgumentHelp("Only events with this tag, such as card:card_01… or shop:shop_01….", valueName: "kind:id"))
    var tag: String?

    @Option(help: ArgumentHelp("Only events of this type, such as CardStamped.", valueName: "name"))
    var type: String?

    @Option(help: "text or jsonl.")
    var format: OutputFormat = .text

    @Flag(help: "Print the digest of the state in place of the events.")
    var digest = false

    @Flag(help: "Compare the read models with the log; each at the position that it has reached.")
    var compare = false

    /// Set by `--compare` for the process that it starts for each model: see ``CompareTask``.
    @Option(help: .private)
    var compareModel: String?

    func validate() throws {
        if digest && compare { throw ValidationError("--digest and --compare exclude each other.") }
        if (digest || compare) && (tag != nil || type != nil) {
            throw ValidationError("--tag and --type choose events to print; they do not go with --digest or --compare.")
        }
        if compare && until != nil {
            throw ValidationError("--compare looks at each model where it stands; it takes no --until.")
        }
        _ = try Selection(until: until, tag: tag, type: type)
    }

    func run() throws {
        StandardOutput.toleratesClosedPipe()
        do {
            let folder = try AuditedFolder(data)
            if let compareModel {
                try CompareTask(folder: folder, format: format).compare(compareModel)
            } else if compare {
                try CompareTask(folder: folder, format: format).compareAll()
            } else {
                let selection = try Selection(until: until, tag: tag, type: type)
                let task = PrintTask(folder: folder, format: format, selection: selection)
                if digest { try task.printDigest() } else { try task.printEvents() }
            }
        } catch let error as AuditError {
            StandardError.write("greentea-replay: \(error)")
            throw ExitCode(2)
        }
    }
}
