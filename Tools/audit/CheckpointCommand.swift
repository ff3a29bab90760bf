import Archive
import ArgumentParser
import Audit
import EventLog
import Merkle

/// `greentea-audit checkpoint`: prints the log's last checkpoint.
struct CheckpointCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Show the last signed checkpoint, checked against the log.",
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

    func validate() throws {
        if vkey && json { throw ValidationError("--json has the key already; leave --vkey away.") }
    }

    func run() throws {
        try ProofOutput.reporting {
            let published = try PublishedLog(in: try AuditedFolder(asOwner: data), inspecting: .ifQuick)
            if vkey { return try ProofOutput.say(published.key.text) }
            if json { return try ProofOutput.say(json: CheckpointSummary(published)) }
            try ProofOutput.write(published.checkpoint.note.bytes, to: nil)
        }
    }
}

/// A checkpoint as JSON.
struct CheckpointSummary: Encodable {
    let origin: String
    let size: UInt64
    let root: String
    /// The number of events in the log. The checkpoint may not cover the newest events yet.
    let head: UInt64
    let vkey: String
    /// The text of the signed note that contains the checkpoint.
    let note: String

    init(_ published: PublishedLog) {
        let checkpoint = published.checkpoint.checkpoint
        (origin, size, root) = (checkpoint.origin.string, checkpoint.size, checkpoint.root.base64)
        head = published.log.head.rawValue
        vkey = published.key.text
        note = String(decoding: published.checkpoint.note.bytes, as: UTF8.self)
    }
}
