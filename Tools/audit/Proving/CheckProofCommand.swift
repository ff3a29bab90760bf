import ArgumentParser
import Audit
import EventLog
import LoyaltyCodec
import Merkle

/// `greentea-audit check-proof`: what a customer or a court does with a receipt.
struct CheckProofCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-proof",
        abstract: "Check a receipt with the log's key and nothing else.",
        discussion: """
            Needs no data folder and no server. The key is the log's verifier key (name+id+base64); take it from somebody you
            trust, not from whoever handed you the receipt. The event's bytes are those in the receipt, or --record's.

            Prints what is proved: the event, its position, and how large the tree was that the log has signed.

            EXIT CODES
              0   proved: the log has signed a tree with just this event at this place
              1   not proved: something was altered, or another key signed; the reason is printed
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
        try ProofOutput.reporting {
            let record = try record.map(ProofOutput.read)
            let check = try ProofCheck(receipt: try ProofOutput.read(receipt), record: record, key: key)
            switch check.verdict {
            case .proved(let checkpoint): try show(check, checkpoint.checkpoint)
            case .notProved(let error): try refuse(check, error)
            }
        }
    }

    private func show(_ check: ProofCheck, _ checkpoint: Checkpoint) throws {
        if json { return try ProofOutput.say(json: ProofVerdict(check, checkpoint)) }
        let place = "event \(check.position) of \(checkpoint.size) in \(checkpoint.origin)"
        try ProofOutput.say("proved: \(place), under root \(checkpoint.root.base64)")
        if let fact = check.fact { try ProofOutput.say(FactText.line(fact)) }
    }

    private func refuse(_ check: ProofCheck, _ error: MerkleError) throws {
        if json { try ProofOutput.say(json: ProofVerdict(check, error)) } else { try ProofOutput.say("NOT PROVED: \(error)") }
        throw ExitCode(1)
    }
}
