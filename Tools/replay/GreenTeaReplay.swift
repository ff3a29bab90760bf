import ArgumentParser
import Audit
import Console
import EventLog

/// `greentea-replay`: reads the log, and prints its events, the resulting state, or whether the read models agree with it.
///
/// Without a subcommand it runs ``ReplayCommand``.
@main
struct GreenTeaReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greentea-replay",
        abstract: "Replay the log: print events, digest the state they amount to, or check the read models against it.",
        discussion: """
            The log is opened for reading only, so this may run beside a server; it needs no keys, and sealed fields stay sealed. \
            What an event shows as secret, phone or token is a keyed hash of it: it tells equal ones apart from others, and nobody can use \
            it or turn it back.

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
              If not, since which event, and is it the program or the disk?
                greentea-replay --data data --compare --bisect
              A card as it was, and what became of it since:
                greentea-replay --data data --at 2026-11-20T09:00:00Z card card_01hv5x0000e008000000000000
                greentea-replay --data data --diff 2026-11-20T09:00:00Z 5000 card card_01hv5x0000e008000000000000
              What if cards had had eight places?
                echo '{"goal": 8}' > rules.json
                greentea-replay what-if --data data --rules rules.json
              Events and models as tables for DuckDB, a spreadsheet or pandas:
                greentea-replay export --data data --to tables
              Who comes back, as a picture:
                greentea-replay chart retention --data data --shop shop_01hv5x0000e008000000000000 --svg retention.svg

            EXIT CODES
              0   done; with --compare: equal
              1   --compare found a difference or a damaged model, which is named; --at:
                  there was no such thing then; what-if's check of itself failed
              2   it could not be done: no data folder, an unreadable log; the error names
                  the remedy. Of a damaged log, the events before the damage are printed
              64  wrong use

            `greentea-replay help replay` lists the options of these examples, `greentea-replay help what-if` those of the last.
            """,
        version: ProductVersion.text,
        subcommands: [
            ReplayCommand.self, AtCommand.self, DiffCommand.self, SnapshotsCommand.self, WhatIfCommand.self, ExportCommand.self,
            ChartCommand.self,
        ],
        defaultSubcommand: ReplayCommand.self)
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable { case text, jsonl }

extension AuditedFolder {
    /// Opens a data folder as its owner: even a reader creates files, and the service could not open files that root owns.
    ///
    /// - Parameter targets: other files and folders that the command writes; nil and `-` are ignored.
    init(asOwner path: String, writing targets: [String?] = []) throws(AuditError) {
        do { try FolderOwner.become(of: path, writing: targets) } catch { throw AuditError(.output, error.detail, remedy: error.remedy) }
        try self.init(path)
    }
}

extension ReplayBound {
    /// - Throws: `ValidationError`, which states both forms.
    init(parsing text: String) throws {
        guard let bound = ReplayBound(text: text) else {
            throw ValidationError("'\(text)' is neither a position (1000) nor a time (2026-11-21T09:00:00Z).")
        }
        self = bound
    }
}

/// Shows a progress bar over the events of a log while `body` runs, which reports the position that it has reached.
func withProgress<Result>(_ label: String, over log: EventLog, _ body: ((Position) -> Void) throws -> Result) rethrows -> Result {
    let bar = ProgressBar(label: label, total: Int(clamping: log.head.rawValue), unit: "events")
    defer { bar.finish() }
    return try body { bar.advance(to: Int(clamping: $0.rawValue)) }
}

/// Reports a failure on standard error, with exit code 2.
enum ErrorReport {
    static let code: Int32 = 2

    static func report(_ body: () throws -> Void) throws {
        StandardStreams.prepare()
        StandardOutput.toleratesClosedPipe()
        do { try body() } catch {
            // Errors for the argument parser are passed on. Any other error that is not converted would end the program with 1, which means
            // a finding.
            if error is ExitCode || error is ValidationError { throw error }
            Interruption.waitIfUnderWay()
            StandardError.write("greentea-replay: \(error is OutputError ? error : AuditError(any: error))")
            throw ExitCode(code)
        }
        Interruption.waitIfUnderWay()
    }
}
