public import Audit
public import EventLog
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Merkle

/// A log and its newest signed checkpoint, from which proofs are made without the server's secrets.
///
/// The signature is verified with the key beside it, and the root is computed from the log. An attacker who can write to the folder can
/// replace all three, but cannot sign with the key that clients already know.
public struct PublishedLog: Sendable {
    public let log: EventLog
    public let key: VerifierKey
    /// The log may have more events.
    public let checkpoint: TrustedCheckpoint

    /// - Throws: ``AuditError`` `.damaged`; `.unproved` without a checkpoint or key; `.checkpoint` for one of another log; `.log`.
    public init(in folder: AuditedFolder, inspecting extent: LogInspection.Extent = .whole) throws(AuditError) {
        let data = DataFolder(folder.path)
        // The checkpoint is read before the log, so the log has at least as many events as the checkpoint covers.
        let note = try Self.read(data.checkpoint)
        key = try Self.key(in: data)
        log = try folder.log(.readOnly, inspecting: extent)
        do throws(EventLogError) { checkpoint = try log.verify(checkpoint: note, by: key) } catch { throw AuditError(any: error) }
    }

    private static let remedy = """
        In a data folder: start the server once, it signs what there is. A backup of a log that was signed has both files, unless it is \
        older than that: then copy checkpoint.vkey from the data folder.
        """

    /// The number of events that the checkpoint covers.
    public var size: Position { Position(checkpoint.checkpoint.size) }

    private static func key(in data: DataFolder) throws(AuditError) -> VerifierKey {
        let text = String(decoding: try read(data.verifierKey), as: UTF8.self).trimmingCharacters(in: .newlines)
        do throws(MerkleError) { return try VerifierKey(text) } catch {
            throw AuditError(.unproved, "\(data.verifierKey): \(error.detail).", remedy: "Start the server once; it writes the key anew.")
        }
    }

    private static func read(_ path: String) throws(AuditError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AuditError(.unproved, "there is no \(path), or it cannot be read.", remedy: Self.remedy)
        }
        return [UInt8](data)
    }
}

extension PublishedLog {
    /// - Throws: ``AuditError`` `.damaged` for a changed record or tree; `.unproved` for a position that the checkpoint does not cover;
    ///   `.log`.
    public func receipt(of position: Position) throws(AuditError) -> Receipt {
        guard position > .start, position <= size else { throw notCovered(position) }
        do {
            let proof = try log.inclusionProof(of: position, in: size)
            let record = try record(at: position)
            try require(record, at: position)
            guard (try? proof.verify(record, root: checkpoint.checkpoint.root)) != nil else {
                throw AuditError.damaged("the tree's hashes beside it do not lead to the root that was signed", at: position)
            }
            return try Receipt(proof, checkpoint: checkpoint.note, extra: record)
        } catch { throw AuditError(any: error) }
    }

    public func fact(in receipt: Receipt) -> Fact? {
        receipt.extra.flatMap { ProofCheck.fact($0, at: Position(receipt.index + 1)) }
    }

    func require(_ record: [UInt8], at position: Position) throws {
        var hasher = TreeHasher()
        guard try log.tree.hash(level: 0, index: position.rawValue - 1) == hasher.leaf(record) else {
            throw AuditError.changedRecord(at: position)
        }
    }

    func record(at position: Position) throws -> [UInt8] {
        guard let record = try log.withRecord(at: position, { [UInt8](copying: $0.bytes) }) else { throw notCovered(position) }
        return record
    }

    private func notCovered(_ position: Position) -> AuditError {
        let isStored = position > .start && position <= log.head
        return AuditError(
            .unproved, isStored ? "the last checkpoint covers \(size) events only." : "the log has no event there; it has \(log.head).",
            position: position,
            remedy: isStored ? "A server that runs signs every second: try again. Else start it once." : "Ask for one of those.")
    }
}
