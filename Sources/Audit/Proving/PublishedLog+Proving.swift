public import EventLog
internal import LMDB
public import Merkle

extension PublishedLog {
    /// The proof that an event is in the log, under the kept checkpoint, with the record in the receipt's `extra`.
    ///
    /// It is checked as its reader will check it: a receipt that does not hold would be worse than none.
    ///
    /// - Throws: ``AuditError`` `.damaged` for a record that was changed after it was stored, or a tree that does not lead to the
    ///   checkpoint's root; `.unproved` for a position that there is not, or that the checkpoint does not cover yet; `.log`.
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

    /// Compares a record with the hash that the tree stores of it.
    func require(_ record: [UInt8], at position: Position) throws {
        var hasher = TreeHasher()
        guard try log.tree.hash(level: 0, index: position.rawValue - 1) == hasher.leaf(record) else {
            throw AuditError.changedRecord(at: position)
        }
    }

    /// The bytes of an event, as the tree has them.
    func record(at position: Position) throws -> [UInt8] {
        let record = try log.withRecord(at: position) { record in
            var bytes: [UInt8] = []
            bytes.append(copying: record.bytes)
            return bytes
        }
        guard let record else { throw notCovered(position) }
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
