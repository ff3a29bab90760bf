import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import LoyaltyCodec
import Merkle

/// `greentea-audit backup`: copies the log while the server writes.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the log as of one commit, while a server may write.",
        discussion: """
            The copy holds the log, the checkpoint that it covers, and the images. The accounts' keys are not in it: erasing a \
            person destroys their key, and a backup would bring it back. --keys puts them into a folder of their own; keep it \
            apart, and not long.

            Every page of the log's file is looked at before, and every record's hash after: a damaged log is not copied, so that \
            the last good backup stays the last. That reads the file twice more.

            A picture that is damaged is left out and named: an earlier backup may have it whole.

            EXAMPLES
              greentea-audit backup --data data --to copy
              The keys apart, to be thrown away soon:
                greentea-audit backup --data data --to copy --keys /media/safe/keys

            EXIT CODES
              0   copied, and durable
              1   the log is damaged, and nothing was copied; or pictures are, and
                  everything else was copied
              2   not copied, and nothing left behind: the target is not empty, no room,
                  no data folder
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("The folder to make; it may exist, but must be empty.", valueName: "dir"))
    var to: String

    @Option(help: ArgumentHelp("The folder to copy the accounts' keys to.", valueName: "dir"))
    var keys: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func run() throws {
        try Outcome.report("backup") {
            let interruption = Interruption(removing: [to, keys].compactMap { $0.map(PartialName.of) })
            defer { withExtendedLifetime(interruption) {} }
            let audited = try folder.audited()
            try audited.requireOutside(to, keys)
            let summary = try Backup(of: audited, to: to, keys: keys).run()
            let root = summary.root?.hex ?? ""
            let members: [String: Any] = [
                "events": summary.events, "bytes": summary.bytes, "root": root, "keys": summary.hasKeys, "to": to,
                "pictures": summary.pictures, "damagedPictures": summary.damagedPictures,
            ]
            let line =
                "backed up  events \(summary.events)  bytes \(summary.bytes)  pictures \(summary.pictures)  root \(root)  to \(to)"
            UpkeepNote.write(DataFolder(folder.data).backupNote, in: folder.data, "events \(summary.events)  root \(root)  to \(to)")
            let damaged = summary.damagedPictures.map { "damaged picture, left out: \($0)" }
            try StandardOutput.say(json ? [JSONLine.text(members)] : [line] + damaged)
            return summary.damagedPictures.isEmpty
        }
    }
}

/// `greentea-audit restore`: restores a backup.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Verify a backup and put it in the place of a data folder's log.",
        discussion: """
            What the data folder has already, its log and the checkpoint that was signed last, must be the beginning of the \
            backup: nothing that others may have seen is taken back. Pictures are checked by the digests that are their names, and \
            put beside those that are there. Derived data is removed and made again by the next start.

            EXAMPLES
              greentea-audit restore --from copy --data data
              With the keys that were kept apart:
                greentea-audit restore --from copy --data data --keys /media/safe/keys

            EXIT CODES
              0   restored
              1   the backup is damaged: the findings say where; nothing was changed
              2   refused: a picture of the backup is damaged, a server runs, the target
                  is further on, no room; nothing was changed
              64  wrong use
            """)

    @Option(help: ArgumentHelp("What `backup` has made.", valueName: "dir"))
    var from: String

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("Where `backup --keys` has put the keys.", valueName: "dir"))
    var keys: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func run() throws {
        try Outcome.report("restore") {
            try UpkeepNote.requireOwner(of: folder.data, "restore")
            let copy = try AuditedFolder(from)
            let bar = ProgressBar(label: "verify", total: FolderOption.events(in: from), unit: "events")
            let restore = Restore(from: copy, to: folder.data, keys: keys, options: .init(now: Now.timestamp))
            let report = try restore.run { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            try StandardOutput.say(VerifyText(report: report, restored: folder.data).lines(json: json))
            return report.isClean
        }
    }
}

/// `greentea-audit drill`: rehearses the loss of the disk with a trial restore.
struct DrillCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drill",
        abstract: "Back up, restore elsewhere, verify, replay, and compare with the original.",
        discussion: """
            It only reads the data folder, except for a note of a good one (last-drill), may run beside a server, and cleans up behind \
            itself, also when it is ended by SIGINT or SIGTERM. It needs room for two copies, and reads the log many times.

            EXAMPLE
              greentea-audit drill --data data --scratch /mnt/spare

            EXIT CODES
              0   the restored log and pictures are whole, and the log amounts to the same
                  state as the original
              1   the log or the copy is damaged, or the copy amounts to another state
              2   a step could not be made: no room, no data folder
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("Where to make the copies, which are removed again; else the temporary folder.", valueName: "dir"))
    var scratch: String?

    @Flag(help: "One JSON object in place of lines.")
    var json = false

    func run() throws {
        try Outcome.report("drill") {
            let began = ContinuousClock.now
            let place = (scratch ?? NSTemporaryDirectory()) + "/greentea-drill-" + UUID().uuidString
            let interruption = Interruption(removing: [place])
            defer { withExtendedLifetime(interruption) {} }
            let bar = ProgressBar(label: "drill", total: FolderOption.events(in: folder.data), unit: "events")
            let drill = Drill(try folder.audited(), in: place, options: .init(now: Now.timestamp))
            let outcome = try drill.run { bar.advance(to: Int(clamping: $0)) }
            bar.finish()
            let seconds = ((ContinuousClock.now - began) / .milliseconds(1)).rounded() / 1_000
            if outcome.isGood {
                let text = "events \(outcome.report.head)  root \(outcome.report.root?.hex ?? "")"
                UpkeepNote.write(DataFolder(folder.data).drillNote, in: folder.data, text)
            }
            try StandardOutput.say(lines(outcome, seconds))
            return outcome.isGood
        }
    }

    private func lines(_ outcome: Drill.Outcome, _ seconds: Double) -> [String] {
        let root = outcome.report.root?.hex ?? ""
        guard !json else {
            return [
                JSONLine.text([
                    "verdict": outcome.isGood ? "good" : "bad", "events": outcome.report.head.rawValue, "root": root, "seconds": seconds,
                    "digest": outcome.restored.hex, "originalDigest": outcome.original.hex, "findingCount": outcome.report.findingCount,
                    "pictures": outcome.pictures, "lostPictures": outcome.lostPictures,
                ])
            ]
        }
        return outcome.report.findings.map { "\($0)" } + [
            "\(outcome.isGood ? "good" : "bad")  events \(outcome.report.head)  root \(root)  \(seconds) s",
            "pictures  \(outcome.pictures)  lost \(outcome.lostPictures)",
            "restored  \(outcome.restored.hex)",
            "original  \(outcome.original.hex)",
        ]
    }
}
