internal import LMDB

extension Environment {
    /// The environment as of its last commit, with this layer's error.
    @_lifetime(borrow self)
    func readable() throws(EventLogError) -> Snapshot {
        do { return try snapshot() } catch { throw EventLogError(error) }
    }

    /// A copy of one entry.
    func value(_ table: Table, _ key: [UInt8]) throws(EventLogError) -> [UInt8]? {
        do throws(LMDBError) {
            let snapshot = try snapshot()
            guard let value = try snapshot.get(table, key.span) else { return nil }
            var bytes: [UInt8] = []
            bytes.append(copying: value)
            return bytes
        } catch { throw EventLogError(error) }
    }

    /// Whether a table has no entries.
    func isEmpty(_ table: Table) throws(EventLogError) -> Bool {
        do throws(LMDBError) {
            let snapshot = try snapshot()
            return try snapshot.count(table) == 0
        } catch { throw EventLogError(error) }
    }
}
