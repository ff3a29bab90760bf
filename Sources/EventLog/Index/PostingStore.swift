internal import LMDB

/// The persistent part of the tag index: the table of runs, and what they cover of which log.
///
/// It is derived data: the position it has reached is stored in the same transaction as the postings, together with what tells
/// that the log still is the one they were made from. What is written when, ``RunKeeper`` decides.
final class PostingStore: Sendable {
    /// Values stored in one transaction: a megabyte of dirty pages.
    static let valuesAtOnce = 64

    /// Nil where another process keeps it, and it is only read here.
    let derived: DerivedEnvironment?
    let environment: Environment
    /// The manifest, blocks and parts: see ``IndexLayout``.
    let table: Table
    /// What the postings cover: see ``IndexMeta``.
    let meta: Table

    convenience init(_ derived: DerivedEnvironment) throws(EventLogError) {
        try self.init(derived.environment, derived)
    }

    /// A store that another process keeps.
    convenience init(reading environment: Environment) throws(EventLogError) {
        try self.init(environment, nil)
    }

    private init(_ environment: Environment, _ derived: DerivedEnvironment?) throws(EventLogError) {
        (self.environment, self.derived) = (environment, derived)
        do throws(LMDBError) {
            table = try environment.table("runs", .integer)
            meta = try environment.table("meta", .bytes)
        } catch { throw EventLogError(error) }
    }

    /// How far the postings go; nil when there is no (readable) word about it.
    func coverage() throws(EventLogError) -> IndexMeta? {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            let key = IndexMeta.key
            guard let bytes = try snapshot.get(meta, key.span) else { return nil }
            return IndexMeta(bytes)
        } catch { throw EventLogError(error) }
    }

    /// The same error. When it tells of a broken index, the word about the coverage is taken back, so that the next opening makes the
    /// index anew and does not meet it again.
    func distrusted(_ error: EventLogError) -> EventLogError {
        guard error.isBrokenIndex else { return error }
        // What cannot even be written to any more is found broken at the next opening, or again by the next reader.
        try? distrust()
        return error
    }

    private func distrust() throws(LMDBError) {
        let environment = environment
        let key = IndexMeta.key
        var transaction = try environment.write()
        _ = try transaction.delete(meta, key.span)
        try transaction.commit()
    }

    /// Stores values; `runs`, if given, are from now on the index, and cover the log as far as `coverage` says, if given.
    ///
    /// One transaction. A crash of the process leaves the earlier index and its position, and perhaps values that no manifest names.
    /// A crash of the machine, at any time, costs the index: see ``DerivedEnvironment``.
    func put(_ values: [RunWriter.Value], runs: [Run]? = nil, _ coverage: IndexMeta? = nil) throws(EventLogError) {
        do throws(LMDBError) {
            let environment = environment
            var transaction = try environment.write()
            for value in values { try transaction.put(table, value.key, value.bytes.span) }
            if let runs {
                let bytes = RunManifest.bytes(of: runs)
                try transaction.put(table, IndexLayout.manifestKey, bytes.span)
            }
            if let coverage {
                let (key, bytes) = (IndexMeta.key, coverage.bytes)
                try transaction.put(meta, key.span, bytes.span)
            }
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }

    /// Deletes values of a run that no manifest names.
    ///
    /// - Returns: whether nothing of it is left.
    func delete(run: UInt32, atMost limit: Int) throws(EventLogError) -> Bool {
        do throws(LMDBError) {
            let environment = environment
            let keys = try keys(of: run, atMost: limit)
            var transaction = try environment.write()
            for key in keys { _ = try transaction.delete(table, key) }
            try transaction.commit()
            return keys.count < limit
        } catch { throw EventLogError(error) }
    }

    private func keys(of run: UInt32, atMost limit: Int) throws(LMDBError) -> [UInt64] {
        let environment = environment
        let snapshot = try environment.snapshot()
        var cursor = try snapshot.cursor(table)
        var keys: [UInt64] = []
        var isThere = try cursor.seek(UInt64(run) << 32)
        while isThere, keys.count < limit, cursor.integerKey >> 32 == UInt64(run) {
            keys.append(cursor.integerKey)
            isThere = try cursor.next()
        }
        return keys
    }
}
