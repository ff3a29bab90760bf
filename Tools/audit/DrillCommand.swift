import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// `greentea-audit drill`: rehearses the loss of the disk with a trial restore.
struct DrillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drill", abstract: "Verify all backups, restore the newest elsewhere, replay it, and compare with the original.",
        discussion: """
            With --in, every page, record and picture of each backup in a folder is looked at, and the newest that is whole is \
            restored, with its chain. Without it, or if the folder has no backup, one is made for the drill.

            It only reads the data folder and the backups, may run beside a server, and cleans up behind itself, also when it is ended by \
            SIGINT or SIGTERM. The note of a good one (last-drill) is written in the data folder, and one that is not good takes it \
            away. It needs room for two copies, and reads the log many times. What a drill that was killed has left, \
            DIR/greentea-drill, is removed by the next one.

            The accounts' keys are not rehearsed: they are in no backup of the log. Without a copy of them (backup --keys) and the master \
            key, the service does not start on what was restored.

            EXAMPLE
              greentea-audit drill --data data --in copies --scratch /mnt/spare

            EXIT CODES
              0   all backups are whole, the restored log and pictures too, and the log
                  amounts to the same state as the original did at its end
              1   the log, a picture or a backup is damaged or missing, or the restored
                  log amounts to another state
              2   a step could not be made: no room, no data folder, another drill is
                  under way there
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(name: .customLong("in"), help: ArgumentHelp("The folder of the backups to rehearse with.", valueName: "dir"))
    var backups: String?

    @Option(help: ArgumentHelp("Where to make the copies, which are removed again; else the temporary folder.", valueName: "dir"))
    var scratch: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func validate() throws { try PlaceWord.refuse(scratch, backups) }

    func run() throws {
        try Outcome.report("drill") {
            let began = ContinuousClock.now
            let place = scratch ?? NSTemporaryDirectory()
            let audited = try folder.audited(writing: Drill.scratch(in: place))
            let bar = ProgressBar(label: "drill", total: FolderOption.events(in: folder.data), unit: "events")
            let drill = Drill(audited, in: place, backups: backups, options: .init(now: Now.timestamp))
            let outcome = try rehearsed {
                try Interruption.removingUnfinished { begun in
                    try drill.run(progress: { bar.advance(to: Int(clamping: $0)) }, begun: begun)
                }
            }
            bar.finish()
            let seconds = ((ContinuousClock.now - began) / .milliseconds(1)).rounded() / 1_000
            try StandardOutput.say(lines(outcome, seconds))
            return outcome.isGood
        }
    }

    /// Runs a drill, and notes whether it was good. A drill that could not be made, as without room, changes no note.
    private func rehearsed(_ drill: () throws -> Drill.Outcome) throws -> Drill.Outcome {
        let note = DataFolder(folder.data).drillNote
        do {
            let outcome = try drill()
            guard outcome.isGood else {
                UpkeepNote.withdraw(note)
                return outcome
            }
            UpkeepNote.write(note, in: folder.data, "events \(outcome.report.head)  root \(outcome.report.root?.hex ?? "")")
            return outcome
        } catch let error as AuditError where error.code == .damaged {
            UpkeepNote.withdraw(note)
            throw error
        }
    }

    private func lines(_ outcome: Drill.Outcome, _ seconds: Double) -> [String] {
        let root = outcome.report.root?.hex ?? ""
        if json {
            let members: [String: Any?] = [
                "verdict": outcome.isGood ? "good" : "bad", "events": outcome.report.head.rawValue, "root": root, "seconds": seconds,
                "digest": outcome.restored.hex, "originalDigest": outcome.original.hex, "findingCount": outcome.report.findingCount,
                "pictures": outcome.pictures, "lostPictures": outcome.lostPictures, "missingPictures": outcome.missingPictures,
                "lacks": outcome.lacks, "keysRehearsed": false,
                "unsound": outcome.unsound.map { ["backup": $0.path, "why": $0.fault ?? ""] }, "from": outcome.source,
            ]
            return [JSONLine.text(members)]
        }
        return outcome.report.findings.map { "\($0)" }
            + outcome.unsound.map { "not whole: \($0.path): \($0.fault ?? "")" }
            + MissingPictureText.lines(outcome.missingPictures, in: folder.data) + [
                "\(outcome.isGood ? "good" : "bad")  events \(outcome.report.head)  root \(root)  \(seconds) s",
                "source  \(source(of: outcome))",
                "pictures  \(outcome.pictures)  lost \(outcome.lostPictures)",
                "restored  \(outcome.restored.hex)",
                "original  \(outcome.original.hex)",
                "keys  not rehearsed: a start also needs a copy of them (backup --keys) and the master key",
            ]
    }

    private func source(of outcome: Drill.Outcome) -> String {
        if let source = outcome.source { return "restored from \(source)  lacks \(outcome.lacks)" }
        let why = backups.map { "there is no backup in \($0)" } ?? "--in names the folder of those that are kept"
        return "a backup that was made for the drill: \(why)"
    }
}
