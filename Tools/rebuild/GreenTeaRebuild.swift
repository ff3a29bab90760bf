import ArgumentParser
import Audit
import BackgroundWork
import Console
import EventLog
import LoyaltyCodec
import Projections
import ReadModels
import Search

/// `greentea-rebuild`: rebuilds read models from the log while the current ones stay in use, and then switches to the new ones.
@main
struct GreenTeaRebuild: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-rebuild", abstract: "Build the read models anew from the log, beside the old ones, and switch.",
        discussion: """
            Each event is compared with its hash in the log; of a damaged log nothing is built. Then a new generation of each model \
            is filled from the first event on, compared with a replay of the log, flushed, and put \
            into use in one step. A server may be running: it goes on serving the old generation, takes the new one over when that \
            has caught up, and its readers notice nothing. Without a server the tool switches by itself.

            The old generation is kept, so that --rollback puts it into use again, brought up to date; until the next rebuild \
            replaces it, or --forget-old lets it go. A crash of either process at any moment leaves the old generation in use or \
            the new one, complete. A rebuild that was ended goes on where it was.

            An event that a model cannot apply is named with its position, its type and what to do; that model stays as it is, and \
            the others go on.

            --memory bounds the batches. The comparison with a replay comes after them and folds one model's whole state in \
            memory; --no-check leaves it out.

            EXAMPLES
              All models, beside the server or without it:
                greentea-rebuild --data data
              One of them, with the result as JSON:
                greentea-rebuild --data data --model \(CardProgress.name) --json
              On a small machine:
                greentea-rebuild --data data --memory 256
              The generation before, again:
                greentea-rebuild --data data --model \(CardProgress.name) --rollback
              Free the disk of what is only kept for that:
                greentea-rebuild --data data --forget-old
              Afterwards, to be sure:
                greentea-replay --data data --compare

            EXIT CODES
              0   done
              1   a model cannot be built: an event is refused, or what was built differs
                  from a replay; it serves on as it was
              2   it could not be done: no data folder, no such model, a damaged log (nothing
                  was replaced), another rebuild at work, a server that does not answer;
                  the error names the remedy
              64  wrong use
            """,
        version: ProductVersion.text)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("Only this model: \(Self.names.joined(separator: " or ")).", valueName: "name"))
    var model: String?

    @Option(help: ArgumentHelp("What the batches may take together, at least \(RebuildOptions.memoryBytesMin >> 20).", valueName: "MB"))
    var memory = RebuildOptions().memoryBytes >> 20

    @Option(help: ArgumentHelp("How long to wait for the server to take a generation over.", valueName: "seconds"))
    var wait = RebuildOptions().waitSecondsMax

    @Flag(help: "Put the previous generation into use again, brought up to date.")
    var rollback = false

    @Flag(help: "Only remove the generations that are kept for --rollback, and what is half built.")
    var forgetOld = false

    @Flag(help: "What becomes of the generation that is replaced.")
    var old = OldGeneration.keep

    @Flag(inversion: .prefixedNo, help: "Compare with a replay before switching.")
    var check = true

    @Flag(inversion: .prefixedNo, help: "Take only the time that others leave. Without either: yes beside a server, no without one.")
    var lowPriority: Bool?

    @Flag(help: "Print one JSON object for each model; with --forget-old, for each generation that is gone.")
    var json = false

    static let names = ReadModels.names + [Discovery.name]

    func validate() throws {
        guard memory >= RebuildOptions.memoryBytesMin >> 20, memory <= 1 << 30 else {
            throw ValidationError("--memory takes megabytes, at least \(RebuildOptions.memoryBytesMin >> 20).")
        }
        guard wait >= 0, wait <= 86_400 else { throw ValidationError("--wait takes seconds, at most 86400.") }
        if rollback && forgetOld { throw ValidationError("--rollback and --forget-old exclude each other.") }
    }

    func run() throws {
        StandardStreams.prepare()
        StandardOutput.toleratesClosedPipe()
        do { try rebuild() } catch let error as ExitCode {
            throw error
        } catch {
            StandardError.write("greentea-rebuild: \(FileFault(error))")
            throw ExitCode(2)
        }
    }

    private func rebuild() throws {
        let types = try chosen()
        // If root runs the program, it first changes to the user who owns the folder, because the server could not use files that root
        // owns.
        try FolderOwner.become(of: data)
        let folder = try AuditedFolder(data)
        let lock = try RebuildLock(DataFolder(data))
        defer { withExtendedLifetime(lock) {} }
        // The priority is lowered before the log is opened, because checking all of its pages also takes time.
        if lowPriority ?? Rebuild.isServed(DataFolder(data)) { LowPriority.beginIdle() }
        let log = try folder.log(.readOnly)
        let rebuild = Rebuild(DataFolder(data), log: log, options: options)
        if forgetOld { return try forget(rebuild) }
        try requireRecords(of: log)
        let work = Work(rebuild: rebuild, log: log, json: json)
        let task: Rebuild.Task = rollback ? .rollBack : .build
        var results = try work.models(task, types)
        if model == nil || model == Discovery.name { results.append(try work.discovery(task)) }
        let failures = results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        for error in failures { StandardError.write("greentea-rebuild: \(error)") }
        for case .success(let outcome) in results where !outcome.left.isEmpty {
            let left = "\(outcome.model): \(outcome.left.joined(separator: ", ")) is still there."
            StandardError.write("greentea-rebuild: \(left) If it stays, check permissions and delete it before the server starts again.")
        }
        if failures.isEmpty { return }
        throw ExitCode(failures.contains { $0.code == .eventRefused || $0.code == .mismatch } ? 1 : 2)
    }

    /// Ends the program before anything is replaced if a record of the log has changed since it was stored. A changed record that can still
    /// be decoded would give wrong rows. The comparison after the rebuild would not detect them, because it replays the same record.
    private func requireRecords(of log: EventLog) throws {
        let bar = ProgressBar(label: "log", total: Int(clamping: log.head.rawValue), unit: "events")
        defer { bar.finish() }
        try log.requireRecords { position in bar.advance(to: Int(clamping: position.rawValue)) }
    }

    private var options: RebuildOptions {
        var options = RebuildOptions()
        (options.memoryBytes, options.keepsOld) = (memory << 20, old == .keep)
        (options.checks, options.waitSecondsMax) = (check, wait)
        return options
    }

    private func chosen() throws -> [any Projection.Type] {
        guard let model else { return ReadModels.models }
        if model == Discovery.name { return [] }
        if let type = ReadModels.model(named: model) { return [type] }
        throw AuditError(.missing, "there is no model '\(model)'.", remedy: "Known: \(Self.names.joined(separator: ", ")).")
    }

    private func forget(_ rebuild: Rebuild) throws {
        for name in Self.names where model == nil || model == name {
            for generation in try rebuild.forgetOld(of: name) {
                try StandardOutput.say(
                    json ? #"{"model":"\#(name)","generation":"\#(generation)","removed":true}"# : "\(name)  \(generation)  removed")
            }
        }
    }
}

/// The choice whether to keep the generation of a model that a rebuild replaces.
enum OldGeneration: String, EnumerableFlag {
    case keep
    case discardOld

    static func help(for value: OldGeneration) -> ArgumentHelp? {
        switch value {
        case .keep: "Keep the old generation, for --rollback (the default)."
        case .discardOld: "Remove the old generation as soon as nobody reads it."
        }
    }
}
