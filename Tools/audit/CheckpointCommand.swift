import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Merkle

/// `greentea-audit checkpoint`: prints the log's last checkpoint.
struct CheckpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint", abstract: "Show the last signed checkpoint, checked against the log.",
        discussion: """
            Verifies the signature with the key that the server has left in the folder, computes the root from the log, and prints \
            the checkpoint as it was signed (C2SP tlog-checkpoint). Keep a copy elsewhere: a log that was rolled back later \
            together with its folder gives itself away by not fitting it. May run beside the server.

            EXIT CODES
              0   it fits the log
              1   the log does not continue it, or it was altered; or the log's file is
                  damaged
              2   no data folder, no checkpoint
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder, or a backup of it.", valueName: "dir"))
    var data: String

    @Flag(help: "Print the verifier key in its place: what check-proof and other people's verifiers take.")
    var vkey = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws { if vkey && json { throw ValidationError("--json has the key already; leave --vkey away.") } }

    func run() throws {
        try Outcome.report(nil) {
            let published = try PublishedLog(in: try AuditedFolder(asOwner: data), inspecting: .ifQuick)
            try show(published)
            return true
        }
    }

    private func show(_ published: PublishedLog) throws {
        let (checkpoint, note) = (published.checkpoint.checkpoint, published.checkpoint.note)
        if vkey { return try StandardOutput.say(published.key.text) }
        guard json else { return try StandardOutput.hand(note.bytes) }
        // The checkpoint may not cover the newest events of `head` yet.
        let members: [String: Any?] = [
            "origin": checkpoint.origin.string, "size": checkpoint.size, "root": checkpoint.root.base64,
            "head": published.log.head.rawValue, "vkey": published.key.text, "note": String(decoding: note.bytes, as: UTF8.self),
        ]
        try StandardOutput.say(JSONLine.text(members))
    }
}
