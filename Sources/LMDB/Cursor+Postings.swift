internal import CLMDB

extension Cursor {
    /// Moves to the smallest number not less than `number` under exactly this key; false when there is none.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` unless the table is of postings, ``LMDBError/Code/keyTooLong`` for an empty key.
    public mutating func seek(_ key: Span<UInt8>, atLeast number: UInt64) throws(LMDBError) -> Bool {
        try checkPostings()
        let found = try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe number.withValue { (number) throws(LMDBError) in
                var (key, number) = unsafe (key, number)
                let result = unsafe mdb_cursor_get(handle, &key, &number, MDB_GET_BOTH_RANGE)
                return try transaction.found(result, "mdb_cursor_get")
            }
        }
        // This operation leaves the caller's pointer in the key; asking for the current entry replaces it.
        return found ? try move(MDB_GET_CURRENT) : false
    }

    /// Moves to the next greater number under the same key; false, and no move, when this is the greatest.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` unless the table is of postings and the cursor on an entry.
    public mutating func nextDuplicate() throws(LMDBError) -> Bool { try moveWithinKey(MDB_NEXT_DUP) }

    /// Moves to the next smaller number under the same key; false, and no move, when this is the smallest.
    ///
    /// - Throws: as ``nextDuplicate()``.
    public mutating func previousDuplicate() throws(LMDBError) -> Bool { try moveWithinKey(MDB_PREV_DUP) }

    /// Moves to the smallest number under the same key.
    ///
    /// - Throws: as ``nextDuplicate()``.
    public mutating func firstDuplicate() throws(LMDBError) -> Bool { try moveWithinKey(MDB_FIRST_DUP) }

    /// Moves to the greatest number under the same key.
    ///
    /// - Throws: as ``nextDuplicate()``.
    public mutating func lastDuplicate() throws(LMDBError) -> Bool { try moveWithinKey(MDB_LAST_DUP) }

    /// Moves to the smallest number of the next key.
    ///
    /// - Throws: as ``nextDuplicate()``.
    public mutating func nextKey() throws(LMDBError) -> Bool { try move(MDB_NEXT_NODUP) }

    /// How many numbers there are under the cursor's key.
    ///
    /// - Throws: as ``nextDuplicate()``.
    public func duplicateCount() throws(LMDBError) -> Int {
        try checkPlaced()
        var count = 0
        try transaction.require(unsafe mdb_cursor_count(handle, &count), "mdb_cursor_count")
        return count
    }

    private mutating func moveWithinKey(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
        try checkPlaced()
        return try move(operation)
    }

    private func checkPostings() throws(LMDBError) {
        if table.kind == .postings { return }
        throw unsafe LMDBError.misuse("mdb_cursor_get", "a table of kind \(table.kind)", transaction: transaction.pointer)
    }

    private func checkPlaced() throws(LMDBError) {
        try checkPostings()
        if unsafe !keyBytes.isEmpty { return }
        throw unsafe LMDBError.misuse("mdb_cursor_get", "the cursor is on no entry", transaction: transaction.pointer)
    }
}
