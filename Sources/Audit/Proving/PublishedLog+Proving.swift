public import EventLog
internal import LMDB
public import Merkle

extension PublishedLog {
    /// The proof that an event is in the log, under the kept checkpoint, with the record in the receipt's `extra`.
    ///
    /// - Throws: ``AuditError`` `.unproved` for a position that there is not, or that the checkpoint does not cover yet; `.log`.
    public func receipt(of position: Position) throws(AuditError) -> Receipt {
        guard position > .start, position <= size else { throw notCovered(position) }
        do {
            let proof = try log.inclusionProof(of: position, in: size)
            return try Receipt(proof, checkpoint: checkpoint.note, extra: try record(at: position))
        } catch { throw AuditError(any: error) }
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
