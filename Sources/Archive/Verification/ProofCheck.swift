public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec
public import Merkle

/// A receipt and the record that it claims to prove, checked with the log's public key alone, without a data folder or server.
///
/// The proof shows that the log with this key has signed a tree with exactly this record at this position.
public struct ProofCheck: Sendable {
    /// The outcome of the check.
    public enum Verdict: Sendable {
        /// The record is in the log that this checkpoint covers.
        case proved(TrustedCheckpoint)
        /// The receipt or the record was altered, or belongs to another log.
        case notProved(MerkleError)
    }

    public let receipt: Receipt
    public let record: [UInt8]
    private let key: VerifierKey

    /// - Parameter record: nil to use the receipt's field `extra`.
    /// - Throws: ``AuditError`` `.input` if a parameter is malformed, or if the record is missing.
    public init(receipt: [UInt8], record: [UInt8]?, key: String) throws(AuditError) {
        do throws(MerkleError) {
            self.key = try VerifierKey(key)
            self.receipt = try Receipt(receipt)
        } catch { throw AuditError(.input, "\(error.detail).", remedy: error.remedy) }
        guard let record = record ?? self.receipt.extra else {
            throw AuditError(.input, "the receipt does not hold the record.", remedy: "Name the record's own file (--record).")
        }
        self.record = record
    }

    public var position: Position { Position(receipt.index + 1) }

    public var verdict: Verdict {
        do throws(MerkleError) { return .proved(try receipt.verify(record, by: TrustPolicy(key))) } catch { return .notProved(error) }
    }

    /// The record's event, if this program can decode it. Trust it only if the record is proved.
    public var fact: Fact? { Self.fact(record, at: position) }

    static func fact(_ record: [UInt8], at position: Position) -> Fact? {
        guard let record = Record(record.span) else { return nil }
        return try? LoyaltyCodec.decode(record, at: position)
    }
}
