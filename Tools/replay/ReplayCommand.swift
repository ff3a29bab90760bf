import ArgumentParser
import Audit

/// Prints events, digests the state, or compares the read models: what `greentea-replay` does unless told otherwise.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Print events, digest the state they amount to, or check the read models against it. The default.")

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

    @Flag(
        help: ArgumentHelp(
            "Print the digest of the state in place of the events: of cards, ratings, notices and statistics.",
            discussion: "What can be searched (discovery) is not in it: that model is SQLite's, and SQLite would have to build all "
                + "of it anew for a digest. --compare does, and checks it row by row."))
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
