import Audit
import EventLog
import LoyaltyCodec
import Merkle

/// A checked receipt as JSON.
struct ProofVerdict: Encodable {
    let proved: Bool
    let position: UInt64
    var origin: String?
    var size: UInt64?
    var root: String?
    /// What the event says, in one line; only of a proved one.
    var event: String?
    /// Why it is not proved.
    var reason: String?

    init(_ check: ProofCheck, _ checkpoint: Checkpoint) {
        (proved, position) = (true, check.position.rawValue)
        (origin, size, root) = (checkpoint.origin.string, checkpoint.size, checkpoint.root.base64)
        event = check.fact.map(FactText.line)
    }

    init(_ check: ProofCheck, _ error: MerkleError) {
        (proved, position) = (false, check.position.rawValue)
        reason = error.description
    }
}
