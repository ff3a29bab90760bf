import ArgumentParser
import Audit
import Console
import EventLog

/// `greentea-audit restore`: puts a backup in place.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Verify a backup and put it in the place of a data folder's log.",
        discussion: """
            What the data folder has already, its log and the checkpoint that was signed last, must be the beginning of the backup: \
            nothing that others may have seen is taken back. Pictures are checked by the digests that are their names, \
            and put beside those that are there. Derived data is removed and made again by the next start.

            EXAMPLES
              greentea-audit restore --from copy --data data
              With the keys that were kept apart:
                greentea-audit restore --from copy --data data --keys /media/safe/keys

            EXIT CODES
              0   restored
              1   the backup is damaged: the findings say where; nothing was changed
              2   refused: a picture of the backup is damaged, a server runs, the target is further on, no room; nothing was changed
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
