import Archive
import ArgumentParser
import Audit
import Console
import EventLog
import Loyalty
import LoyaltyCodec
import Merkle

/// `greentea-audit prove`: writes a receipt for one event.
struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Prove that an event is in the log.",
        discussion: """
            Writes a receipt (.tlog-proof, C2SP tlog-proof) under the last checkpoint that the server has signed. It may run \
            beside the server, needs no secret, and opens the log for reading only. The receipt carries the event's own bytes in \
            its line `extra`, so whoever gets it can check it with the log's verifier key and nothing else; --record writes those \
            bytes to a file of their own too, for verifiers that want them apart.

            The event is printed on standard error, because a receipt shows it to whoever gets it: look whether it is the one that you \
            mean. If it is no stamp, a warning says so. A file that exists is not replaced.

            The receipt is checked before it is written. Every page of a log's file of up to 64 MB is looked at first. A larger \
            one is opened as it is, since looking at all of it would take its time: `verify` does.

            An event that was stored within the last second may not be covered yet: try again.

            EXAMPLES
              greentea-audit prove --data data --position 42 -o stamp.tlog-proof
              greentea-audit check-proof stamp.tlog-proof --key "$(greentea-audit checkpoint --data data --vkey)"

            EXIT CODES
              0   written
              1   the event was changed after it was stored, the log's file is damaged, or
                  the kept checkpoint is not of this log: no receipt
              2   no data folder, no checkpoint, or none that covers the position; or a file
                  to write exists already
              64  wrong use
            """)

    @OptionGroup var folder: FolderOption

    @Option(help: ArgumentHelp("Which event, from 1.", valueName: "n"))
    var position: UInt64

    @Option(name: .shortAndLong, help: ArgumentHelp("Where to write the receipt; standard output without it.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Where to write the event's bytes, as the tree has them.", valueName: "file"))
    var record: String?

    func validate() throws {
        // The second of two writes to one file would replace the first one. Two spellings of a path, such as a and ./a, are one file.
        guard let record else { return }
        let places = [record, output ?? "-"].map { $0 == "-" ? $0 : AuditedFolder.resolved($0) }
        if places[0] == places[1] { throw ValidationError("--record and --output must be different files.") }
    }

    func run() throws {
        try Outcome.report(nil) {
            let audited = try folder.audited(writing: output, record)
            try audited.requireOutside(output, record)
            for case let path? in [output, record] { try ProofOutput.requireNew(path) }
            let published = try PublishedLog(in: audited, inspecting: .ifQuick)
            let receipt = try published.receipt(of: Position(position))
            if let record { try ProofOutput.write(receipt.extra ?? [], to: record) }
            try ProofOutput.write(receipt.bytes, to: output)
            say(published.fact(in: receipt))
            return true
        }
    }

    /// Shows the event that the receipt proves, so that the user notices if it is not the intended event.
    private func say(_ fact: Fact?) {
        StandardError.write("proves  \(fact.map(FactText.line) ?? "event \(position), of a type that this program does not know")")
        if case .cardStamped = fact?.event { return }
        let who = "greentea-audit who CODE --data \(folder.data)"
        StandardError.write("warning: this is no stamp. A stamp is CardStamped; its position is in the last line of \(who)")
    }
}

/// `greentea-audit check-proof`: verifies a receipt, for example for a customer or a court.
struct CheckProofCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-proof", abstract: "Check a receipt with the log's key and nothing else.",
        discussion: """
            Needs no data folder and no server. The key is the log's verifier key (name+id+base64); take it from somebody you \
            trust, not from whoever handed you the receipt. The event's bytes are those in the receipt, or --record's.

            Prints what is proved: the event, its position, and how large the tree was that the log has signed.

            EXIT CODES
              0   proved: the log has signed a tree with just this event at this place
              1   not proved: something was altered, or another key signed; the reason is
                  printed
              2   unusable: a file is missing or is no receipt, the key is no key
              64  wrong use
            """)

    @Argument(help: ArgumentHelp("The receipt.", valueName: "file.tlog-proof"))
    var receipt: String

    @Option(help: ArgumentHelp("The log's verifier key.", valueName: "vkey"))
    var key: String

    @Option(help: ArgumentHelp("The event's bytes; without it, those in the receipt.", valueName: "file"))
    var record: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        try Outcome.report(nil) {
            let record = try record.map(ProofOutput.read)
            let check = try ProofCheck(receipt: try ProofOutput.read(receipt), record: record, key: key)
            switch check.verdict {
            case .proved(let checkpoint):
                try show(check, checkpoint.checkpoint)
                return true
            case .notProved(let error):
                let members = ["proved": false, "position": check.position.rawValue, "reason": error.description] as [String: Any?]
                try StandardOutput.say(json ? JSONLine.text(members) : "NOT PROVED: \(error)")
                return false
            }
        }
    }

    private func show(_ check: ProofCheck, _ checkpoint: Checkpoint) throws {
        // A fact that this program cannot decode has no line.
        let (root, event) = (checkpoint.root.base64, check.fact.map(FactText.line))
        if json {
            let members: [String: Any?] = [
                "proved": true, "position": check.position.rawValue, "origin": checkpoint.origin.string, "size": checkpoint.size,
                "root": root, "event": event,
            ]
            return try StandardOutput.say(JSONLine.text(members))
        }
        let place = "event \(check.position) of \(checkpoint.size) in \(checkpoint.origin)"
        try StandardOutput.say(["proved: \(place), under root \(root)"] + [event].compactMap(\.self))
    }
}
