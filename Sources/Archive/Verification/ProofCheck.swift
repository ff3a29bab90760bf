public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec
public import Merkle

/// A receipt as somebody holds it, and the record that it is said to prove: checked with a key and nothing else.
///
/// No data folder, no server and no trust in either: what is proved is that the log of this key has signed a tree with just this
/// record at this place.
public struct ProofCheck: Sendable {
    /// The outcome.
    public enum Verdict: Sendable {
        /// The record is in the log, and this checkpoint says so.
        case proved(TrustedCheckpoint)
        /// Something was altered, or is of another log; why.
        case notProved(MerkleError)
    }

    /// The receipt as it was handed in.
    public let receipt: Receipt
    /// The record that is to be proved.
    public let record: [UInt8]
    private let key: VerifierKey

    /// - Parameters:
    ///   - receipt: the bytes of a `.tlog-proof`.
    ///   - record: the bytes of the record; nil for those in the receipt's `extra`.
    ///   - key: the log's verifier key, `name+id+base64`.
    /// - Throws: ``AuditError`` `.input` where one of them is not what it should be, or there is no record.
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

    /// The place that the receipt claims for the record.
    public var position: Position { Position(receipt.index + 1) }

    /// Whether it is proved.
    public var verdict: Verdict {
        do throws(MerkleError) { return .proved(try receipt.verify(record, by: TrustPolicy(key))) } catch { return .notProved(error) }
    }

    /// The record's fact; nil for a record of another program or of a newer version. Believe it only once the record is proved.
    public var fact: Fact? {
        guard let record = Record(record.span) else { return nil }
        return try? LoyaltyCodec.decode(record, at: position)
    }
}
