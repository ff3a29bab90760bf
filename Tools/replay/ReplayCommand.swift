import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Loyalty
import LoyaltyCodec
import PastStates

/// Prints events, prints a digest of the state, or compares the read models: the default command of `greentea-replay`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Print events, digest the state they amount to, or check the read models against it. The default.",
        discussion: """
            `greentea-replay --data DIR …` without a subcommand is the same.

            EXAMPLES
              One card's story:
                greentea-replay replay --data data --tag card:card_01hv5x0000e008000000000000
              The state that the first 1,000 events amount to:
                greentea-replay replay --data data --until 1000 --digest
              Are the read models what the log says, and if not, since when?
                greentea-replay replay --data data --compare --bisect

            EXIT CODES
              0   done; with --compare: equal
              1   --compare found a difference or a damaged model, which is named; --at:
                  there was no such thing then
              2   it could not be done, or a model could not be compared: no data folder,
                  an unreadable log, a full disk; the error names the remedy. Of a damaged
                  log, the events before the damage are printed
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

    @Flag(
        help: ArgumentHelp(
            "Print the digest of the state in place of the events: of cards, ratings, notices, statistics and journeys.",
            discussion: "What can be searched (discovery) is not in it: that model is SQLite's, and SQLite would have to build all "
                + "of it anew for a digest. --compare does, and checks it row by row."))
    var digest = false

    @Flag(help: "Compare the read models with the log; each at the position that it has reached.")
    var compare = false

    @Flag(help: "With --compare: where a model differs, find the event that it goes back to, and whose fault it is.")
    var bisect = false

    @Option(help: ArgumentHelp("What was the case at this moment? See `greentea-replay help at`.", valueName: "position|time"))
    var at: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("What changed between these two moments? See `greentea-replay help diff`.", valueName: "a b"))
    var diff: [String] = []

    @OptionGroup var past: PastOptions

    @Argument(help: ArgumentHelp("With --at and --diff: what is asked about, such as card card_01….", valueName: "what"))
    var words: [String] = []

    /// The model to compare in this process. With `--compare`, the program starts a process with this option for each model; see
    /// ``CompareTask``.
    @Option(help: .private)
    var compareModel: String?

    func validate() throws {
        if digest && compare { throw ValidationError("--digest and --compare exclude each other.") }
        if (digest || compare) && (tag != nil || type != nil) {
            throw ValidationError("--tag and --type choose events to print; they do not go with --digest or --compare.")
        }
        if bisect && !compare { throw ValidationError("--bisect goes with --compare.") }
        if compare && until != nil { throw ValidationError("--compare looks at each model where it stands; it takes no --until.") }
        _ = try EventListing(until: until, tag: tag, type: type)
        try validatePast()
    }

    private func validatePast() throws {
        guard at != nil || !diff.isEmpty else {
            if let word = words.first { throw ValidationError("'\(word)' is asked about no moment: add --at or --diff.") }
            return
        }
        if at != nil, !diff.isEmpty { throw ValidationError("--at and --diff exclude each other.") }
        if digest || compare || until != nil || tag != nil || type != nil {
            throw ValidationError("--at and --diff go with none of --digest, --compare, --until, --tag and --type.")
        }
        if let at { _ = try (ReplayBound(parsing: at), past.subject(words)) } else { _ = try difference }
    }

    /// The two moments of `--diff`, and the subject that follows them on the command line. The parser may have put the subject's words into
    /// `diff` or into `words`.
    private var difference: (from: ReplayBound, to: ReplayBound, thing: PastSubject?) {
        get throws {
            guard diff.count >= 2 else { throw ValidationError("--diff takes two moments: --diff 4900 5000.") }
            let thing = try past.thing(diff.dropFirst(2) + words)
            return (try ReplayBound(parsing: diff[0]), try ReplayBound(parsing: diff[1]), thing)
        }
    }

    /// Answers the query about the past that `--at` or `--diff` asks.
    private func travel(_ folder: AuditedFolder) throws {
        let task = TravelTask(folder: folder, format: format, options: past)
        if let at { return try task.answer(try past.subject(words), at: try ReplayBound(parsing: at)) }
        let difference = try difference
        try task.difference(from: difference.from, to: difference.to, of: difference.thing)
    }

    func run() throws {
        try ErrorReport.report {
            let folder = try AuditedFolder(asOwner: data)
            if let compareModel {
                try CompareTask(folder: folder, format: format, bisects: bisect).compare(compareModel)
            } else if at != nil || !diff.isEmpty {
                try travel(folder)
            } else if compare {
                try CompareTask(folder: folder, format: format, bisects: bisect).compareAll()
            } else {
                let task = PrintTask(folder: folder, format: format, listing: try EventListing(until: until, tag: tag, type: type))
                if digest { try task.printDigest() } else { try task.printEvents() }
            }
        }
    }
}

/// Prints events, or the digest of the resulting state.
struct PrintTask {
    let folder: AuditedFolder
    let format: OutputFormat
    let listing: EventListing

    /// Prints one line for each selected event. If the log is damaged, it prints the selected events before the damage.
    ///
    /// - Throws: `AuditError` for a damaged log, after the lines were printed.
    func printEvents() throws {
        var output = StandardOutput()
        let write = { (fact: Fact) in output.write(format == .text ? FactText.line(fact) : FactText.json(fact)) }
        do throws(AuditError) {
            try folder.requireWholePages()
        } catch {
            guard error.code == .damaged else { throw error }
            let last = try listing.forEachSound(in: folder, write)
            try output.flush()
            let sound = "Of its events, 1 to \(last) could be read and are those that were stored; no later one was listed."
            throw AuditError(.damaged, "\(error.detail) \(sound)", position: error.position, remedy: error.remedy)
        }
        do throws(AuditError) {
            try listing.forEach(in: folder.log(.readOnly, inspecting: .nothing), write)
        } catch {
            try output.flush()
            throw error
        }
        try output.flush()
    }

    /// Prints `digest  <hex>  events N  position P`, then a line for each model; or one JSON object.
    func printDigest() throws {
        let log = try folder.log(.readOnly)
        let digest = StateDigest(of: try withProgress("replay", over: log) { try Replay(of: log, until: listing.bound, progress: $0) })
        try StandardOutput.say(format == .text ? text(digest) : [json(digest)])
    }

    private func text(_ digest: StateDigest) -> [String] {
        ["digest  \(digest.hex)  events \(digest.events)  position \(digest.position)"]
            + digest.models.map { "\($0.model)  \($0.hex)  rows \($0.rows)" }
    }

    private func json(_ digest: StateDigest) -> String {
        let models = digest.models.map { #"{"model":"\#($0.model)","digest":"\#($0.hex)","rows":\#($0.rows)}"# }
        return #"{"digest":"\#(digest.hex)","events":\#(digest.events),"position":\#(digest.position),"#
            + #""models":[\#(models.joined(separator: ","))]}"#
    }
}

extension EventListing {
    /// Reads the options that select events.
    ///
    /// - Throws: `ValidationError`, which lists the known names.
    init(until: String?, tag: String?, type: String?) throws {
        self.init(type: try type.map(Self.eventType), tag: try tag.map(Self.tag), until: try until.map(ReplayBound.init(parsing:)) ?? .head)
    }

    private static func eventType(_ name: String) throws -> EventType {
        let types = LoyaltySchema.schema.types
        if let found = types.first(where: { $0.value == name }) { return found.key }
        let known = types.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        throw ValidationError("There is no event type '\(name)'. Known: \(known).")
    }

    private static func tag(_ text: String) throws -> Tag {
        if let tag = Tag(text: text) { return tag }
        let kinds = LoyaltySchema.schema.tagKinds.sorted { $0.key < $1.key }.map(\.value.name)
        let kind = text.prefix { $0 != ":" }
        guard kinds.contains(String(kind)) else {
            throw ValidationError("There is no tag kind '\(kind)'. Known: \(kinds.joined(separator: ", ")).")
        }
        throw ValidationError("'\(text)' is no \(kind) tag: write \(kind): and the id as the API shows it, or 32 hexadecimal digits.")
    }
}
