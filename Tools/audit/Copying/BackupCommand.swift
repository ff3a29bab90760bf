import ArgumentParser
import Audit
import Console
import Merkle

/// `greentea-audit backup`: a copy of the log, made while the server writes.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the log as of one commit, while a server may write.",
        discussion: """
            The copy holds the log, the checkpoint that it covers, and the images. The accounts' keys are not in it: erasing a person \
            destroys their key, and a backup would bring it back. --keys puts them into a folder of their own; keep it apart, and not long.

            Every page of the log's file is looked at before, and every record's hash after: a damaged log is not copied, so that the \
            last good backup stays the last. That reads the file twice more.

            A picture that is damaged is left out and named: an earlier backup may have it whole.

            EXAMPLES
              greentea-audit backup --data data --to copy
              The keys apart, to be thrown away soon:
                greentea-audit backup --data data --to copy --keys /media/safe/keys

            EXIT CODES
              0   copied, and durable
              1   the log is damaged, and nothing was copied; or pictures are, and everything else was copied
              2   not copied, and nothing left behind: the target is not empty, no room, no data folder
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
            let damaged = summary.damagedPictures.map { "damaged picture, left out: \($0)" }
            try StandardOutput.say(json ? [JSONLine.text(members)] : [line] + damaged)
            return summary.damagedPictures.isEmpty
        }
    }
}
