import ArgumentParser
import Audit
import EventLog
import Merkle

/// `greentea-audit prove`: a receipt for one event.
struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Prove that an event is in the log.",
        discussion: """
            Writes a receipt (.tlog-proof, C2SP tlog-proof) under the last checkpoint that the server has signed. It may run beside
            the server, needs no secret, and opens the log for reading only. The receipt carries the event's own bytes in its line
            `extra`, so whoever gets it can check it with the log's verifier key and nothing else; --record writes those bytes to a
            file of their own too, for verifiers that want them apart.

            The receipt is checked before it is written. Every page of a log's file of up to 64 MB is looked at first. A
            larger one is opened as it is, since looking at all of it would take its time: `verify` does.

            An event that was stored within the last second may not be covered yet: try again.

            EXAMPLES
              greentea-audit prove --data data --position 42 -o stamp.tlog-proof
              greentea-audit check-proof stamp.tlog-proof --key "$(greentea-audit checkpoint --data data --vkey)"

            EXIT CODES
              0   written
              1   the event was changed after it was stored, the log's file is damaged, or the kept checkpoint is not of this log: no
                  receipt
              2   no data folder, no checkpoint, or none that covers the position
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The server's data folder.", valueName: "dir"))
    var data: String

    @Option(help: ArgumentHelp("Which event, from 1.", valueName: "n"))
    var position: UInt64

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write the receipt; standard output without it.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Where to write the event's bytes, as the tree has them.", valueName: "file"))
    var record: String?

    func run() throws {
        try ProofOutput.reporting {
            let folder = try AuditedFolder(data)
            try folder.requireOutside(output, record)
            let published = try PublishedLog(in: folder, inspecting: .ifQuick)
            let receipt = try published.receipt(of: Position(position))
            if let record { try ProofOutput.write(receipt.extra ?? [], to: record) }
            try ProofOutput.write(receipt.bytes, to: output)
        }
    }
}
