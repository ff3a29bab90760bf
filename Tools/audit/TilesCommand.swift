import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Merkle

/// `greentea-audit tiles`: writes the Merkle tree of the log as static files.
struct TilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiles", abstract: "Publish the tree as static files that any C2SP client reads.",
        discussion: """
            Writes `checkpoint` and `tile/…` (C2SP tlog-tiles) for any web server or mirror; hashes only, which say nothing of \
            anybody. --entries adds the events themselves, sealed fields sealed: for auditors, not for everyone.

            Run it again to extend the same folder: whole files stay as they are, damaged ones are written again, and the checkpoint \
            comes last. A folder whose checkpoint the log does not continue is refused. May run beside the server.

            Every page of the log's file and every record's hash is looked at first, which reads the file twice.

            EXAMPLE
              greentea-audit tiles --data data --output public

            EXIT CODES
              0   published
              1   an event was changed after it was stored, the log's file is damaged, the
                  kept checkpoint is not of this log, or the folder holds another tree:
                  nothing was written
              2   no data folder, no checkpoint, or the folder cannot be written
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(name: .shortAndLong, help: ArgumentHelp("The folder to publish into; made where there is none.", valueName: "dir"))
    var output: String

    @Flag(help: "Publish the events too.")
    var entries = false

    @Flag(help: "Print the summary as one JSON object.")
    var json = false

    func run() throws {
        try Outcome.report(nil) {
            let audited = try folder.audited(writing: output)
            try audited.requireOutside(output)
            // The whole log is checked first, because published tiles cannot be withdrawn.
            try audited.requireWholeLog()
            let published = try PublishedLog(in: audited, inspecting: .nothing)
            let tiles = (published.checkpoint.checkpoint.size + UInt64(MerkleLimits.tileWidth) - 1) / UInt64(MerkleLimits.tileWidth)
            let bar = ProgressBar(label: "tiles", total: Int(clamping: tiles), unit: "tiles")
            let summary = try TileTree(at: output, entries: entries).update(from: published) { bar.advance(to: $0) }
            bar.finish()
            let members =
                ["size": summary.size, "oldSize": summary.oldSize, "written": summary.written, "kept": summary.kept] as [String: Any?]
            let leaves = "\(summary.size) leaves (\(summary.oldSize) before)"
            let line = "published \(leaves): \(summary.written) tiles written, \(summary.kept) kept"
            try StandardOutput.say(json ? JSONLine.text(members) : line)
            return true
        }
    }
}
