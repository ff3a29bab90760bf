internal import LMDB

/// The log's own LMDB environment: events by position, names by number, and what the log is.
///
/// It knows records only as bytes and positions. Any thread may read; one appends.
final class LogStorage: Sendable {
    let environment: Environment
    /// Position → record.
    let events: Table
    /// `t` + type, or `k` + tag kind → name.
    let names: Table
    /// What the log is: see ``LogMeta``.
    let meta: Table
    /// Position → hashes of the Merkle tree: see ``LogTree``. Nil in a log that was never opened for writing since there are trees.
    let tree: Table?

    /// - Parameter withTree: false leaves out a table that is not there, for the copy of a log without one.
    init(environment: Environment, withTree: Bool = true) throws(LMDBError) {
        self.environment = environment
        meta = try environment.table("meta", .bytes)
        names = try environment.table("names", .bytes)
        events = try environment.table("events", .integer)
        tree = withTree ? try Self.tree(in: environment) : nil
    }

    private static func tree(in environment: Environment) throws(LMDBError) -> Table? {
        do throws(LMDBError) { return try environment.table("tree", .integer) } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    /// The last position stored, as of now.
    func head() throws(EventLogError) -> Position {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(events)
            return try cursor.last() ? Position(cursor.integerKey) : .start
        } catch { throw EventLogError(error) }
    }

    /// Stores a batch in one transaction with one flush.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``; unless it is for a full disk, the outcome is unknown until the next open.
    func commit(_ batch: EncodedBatch) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            var transaction = try environment.write()
            try requireEnd(at: batch.first, in: transaction)
            for index in 0..<batch.count {
                try transaction.append(events, batch.first.rawValue + UInt64(index), batch.record(index))
            }
            // In the same transaction, so that a log never holds an event that its tree does not cover.
            try append(hashesOf: batch, in: &transaction)
            // A crash before the commit returns leaves the whole batch or nothing of it: LMDB writes the new pages, flushes, and
            // only then writes and flushes the page that makes them current. Nobody was told of the batch in either case.
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }

    private func append(hashesOf batch: EncodedBatch, in transaction: inout WriteTransaction) throws(LMDBError) {
        guard let tree else { return }
        for index in 0..<batch.count {
            try transaction.append(tree, batch.first.rawValue + UInt64(index), batch.hashes(index))
        }
    }

    /// Stops a batch that would leave a gap: MDB_APPEND refuses what comes too early, not what comes too late.
    private func requireEnd(at first: Position, in transaction: borrowing WriteTransaction) throws(LMDBError) {
        var cursor = try transaction.cursor(events)
        let head = try cursor.last() ? cursor.integerKey : 0
        precondition(head + 1 == first.rawValue, "a batch that begins at \(first) does not follow the head \(head)")
    }
}
