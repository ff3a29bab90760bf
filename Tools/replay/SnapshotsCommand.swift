import ArgumentParser
import Audit
import Console
import EventLog
import LoyaltyCodec
import PastStates

/// `greentea-replay snapshots`: creates, lists, checks and removes copies of read models as of earlier positions.
struct SnapshotsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshots",
        abstract: "Make, list, check and remove snapshots of the read models, from which the past is answered quickly.",
        discussion: """
            A snapshot holds what the models held at one position; an answer begins there and reads only the rest of the log. They \
            lie in DIR/derived/snapshots, and all of them may be deleted at any moment: answers stay the same, only slower. Each \
            block of rows has a digest, which is compared whenever it is read; what is damaged, of another log or of another \
            version is passed over with a notice. The log is only read, so a server may run meanwhile; of these commands one at a \
            time makes or removes snapshots. Making them holds the state of the models in memory.

            EXAMPLES
              Make what is missing, one every million events:
                greentea-replay snapshots --data data
              Closer together:
                greentea-replay snapshots --data data --every 250000
              Compare every row with a replay of the log:
                greentea-replay snapshots --data data --check
              Remove what is of no use, or everything:
                greentea-replay snapshots --data data --prune
                greentea-replay snapshots --data data --prune --all

            EXIT CODES
              0   done; with --check: every one holds what the log says
              1   --check found one that does not
              2   it could not be done: no data folder, an unreadable log, a full disk,
                  another process that makes snapshots; the error names the remedy
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: "Events between two snapshots.")
    var every = SnapshotKeeping.everyDefault

    @Flag(help: "Only list what there is.")
    var list = false

    @Flag(help: "Compare every row of each with a replay of the log.")
    var check = false

    @Flag(help: "Remove those that are of no use, and what is left of attempts that were cut short.")
    var prune = false

    @Flag(help: "With --prune: remove every one.")
    var all = false

    @Option(help: "text or jsonl.")
    var format: OutputFormat = .text

    func validate() throws {
        if every == 0 { throw ValidationError("--every must be at least 1.") }
        if [list, check, prune].count(where: { $0 }) > 1 { throw ValidationError("--list, --check and --prune exclude each other.") }
        if all, !prune { throw ValidationError("--all goes with --prune.") }
    }

    func run() throws {
        try ErrorReport.report {
            let folder = try AuditedFolder(asOwner: data)
            let log = try folder.log(.readOnly)
            let keeping = SnapshotKeeping(of: folder, log: log)
            if prune {
                // The name of a leftover folder may have any characters, so it is escaped in JSON.
                return try StandardOutput.say(
                    try keeping.prune(all: all).map { format == .text ? "removed  \($0)" : #"{"removed":\#(JSONText.string($0))}"# })
            }
            if check { return try check(keeping) }
            if !list { try make(keeping, log) }
            try StandardOutput.say(keeping.list().map { format == .text ? $0.line : $0.json })
        }
    }

    private func make(_ keeping: SnapshotKeeping, _ log: EventLog) throws(AuditError) {
        // The progress bar ends at the last missing snapshot, because the replay ends there and not at the end of the log.
        let usable = Set(keeping.list().filter { $0.fault == nil }.map(\.position.rawValue))
        let missing = stride(from: every, through: max(every, log.head.rawValue), by: UInt64.Stride(clamping: every))
            .filter { $0 <= log.head.rawValue && !usable.contains($0) }.max()
        let bar = ProgressBar(label: "snapshots", total: Int(clamping: missing ?? 0), unit: "events")
        defer { bar.finish() }
        _ = try keeping.make(every: every) { bar.advance(to: Int(clamping: $0.rawValue)) }
    }

    private func check(_ keeping: SnapshotKeeping) throws {
        let last = keeping.list().last?.position.rawValue ?? 0
        let bar = ProgressBar(label: "check", total: Int(clamping: last), unit: "events")
        let states = try keeping.check { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        try StandardOutput.say(states.map { format == .text ? $0.checkedLine : $0.json })
        if states.contains(where: { $0.fault != nil }) { throw ExitCode(1) }
    }
}
