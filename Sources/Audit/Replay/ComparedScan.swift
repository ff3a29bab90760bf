public import EventLog
internal import Merkle

extension EventLog {
    /// Scans records, and compares each with its hash in the tree before it is passed on. A flipped bit can give another event that still
    /// decodes. Events of older logs without a stored hash are not compared.
    ///
    /// - Throws: ``AuditError/Code/damaged`` at the first record whose hash differs.
    package func comparedScan(
        after start: Position = .start, through last: Position = .max, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        let end = min(last, head)
        let hashed = try tree.storedSize()
        var hasher = TreeHasher()
        var (reached, goesOn) = (start, true)
        while goesOn, reached < end {
            let first = reached.rawValue
            let next = min(end.rawValue, first + LogLimits.snapshotRecordsMax)
            let stored = first < hashed ? try tree.hashes(level: 0, in: first..<min(next, hashed)) : []
            try scan(after: reached, through: Position(next)) { position, record in
                let index = Int(position.rawValue - first) - 1
                if index < stored.count, hasher.leaf(record.bytes) != stored[index] { throw AuditError.changedRecord(at: position) }
                goesOn = try body(position, record)
                return goesOn
            }
            reached = Position(next)
        }
    }

    /// Compares the records up to a position with their hashes in the tree, before data are derived from them.
    ///
    /// - Parameter step: called while no snapshot of the log is held. If it throws, the comparison ends.
    /// - Throws: ``AuditError/Code/damaged`` at the first record whose hash differs, ``AuditError/Code/log``.
    public func requireRecords(through last: Position = .max, step: (Position) throws(AuditError) -> Void = { _ in }) throws(AuditError) {
        let end = min(last, head)
        var reached = Position.start
        while reached < end {
            let next = Position(min(end.rawValue, reached.rawValue + LogLimits.snapshotRecordsMax))
            do { try comparedScan(after: reached, through: next) { _, _ in true } } catch { throw AuditError(any: error) }
            reached = next
            try step(reached)
        }
    }
}
