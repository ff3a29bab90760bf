internal import CLMDB

extension Cursor {
    /// Moves to the first entry; false when the table is empty.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` for a broken page, as every move.
    public mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST) }

    /// Moves to the last entry; false when the table is empty.
    ///
    /// - Throws: as ``first()``.
    public mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST) }

    /// Moves to the next entry, and stays on the last one; on a fresh cursor to the first.
    ///
    /// - Throws: as ``first()``.
    public mutating func next() throws(LMDBError) -> Bool {
        guard try move(MDB_NEXT) else { return false }
        unsafe walked?.pass(valueBytes)
        return true
    }

    /// Moves to the entry before; the last one on a fresh cursor, and after a search found nothing.
    ///
    /// - Throws: as ``first()``.
    public mutating func previous() throws(LMDBError) -> Bool {
        guard try move(MDB_PREV) else { return false }
        unsafe walked?.pass(valueBytes)
        return true
    }

    /// Moves to the first entry whose key is not less than `key`; false when there is none.
    ///
    /// - Throws: ``LMDBError/Code/keyTooLong`` for an empty key, ``LMDBError/Code/misuse`` for a table of integers, else as ``first()``.
    public mutating func seek(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: false, "mdb_cursor_get")
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LMDBError) in try unsafe move(MDB_SET_RANGE, from: key) }
    }

    /// Moves to the first entry whose key is not less than `key`; false when there is none.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` unless the table is of integers, else as ``first()``.
    public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: true, "mdb_cursor_get")
        return try unsafe withUnsafeBytes(of: key) { (key) throws(LMDBError) in
            try unsafe move(MDB_SET_RANGE, from: key.bindMemory(to: UInt8.self))
        }
    }

    /// Moves to the entry with exactly this key.
    ///
    /// - Throws: as ``seek(_:)``.
    public mutating func seek(exactly key: Span<UInt8>) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: false, "mdb_cursor_get")
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LMDBError) in try unsafe move(MDB_SET_KEY, from: key) }
    }

    @inline(__always)
    mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
        try unsafe move(operation, from: keyBytes)
    }

    // SAFETY: on success LMDB has replaced both by pointers into the map (the operations used here all do, or leave the
    // current key, which came from it); on failure nothing is kept, so a caller's key never stays behind.
    @unsafe mutating func move(_ operation: MDB_cursor_op, from start: UnsafeBufferPointer<UInt8>) throws(LMDBError) -> Bool {
        var key = unsafe MDB_val(start)
        var value = unsafe MDB_val(valueBytes)
        guard try transaction.found(unsafe mdb_cursor_get(handle, &key, &value, operation), "mdb_cursor_get") else { return false }
        unsafe keyBytes = unsafe key.buffer
        unsafe valueBytes = unsafe value.buffer
        try checkNumbers()
        return true
    }

    /// A damaged page may hold a key of any length, where whoever asks for it as a number relies on eight bytes.
    @inline(__always)
    private func checkNumbers() throws(LMDBError) {
        if table.kind == .bytes { return }
        if unsafe keyBytes.count == 8 { return }
        throw unsafe LMDBError.damaged("mdb_cursor_get", "a number that has not eight bytes", transaction: transaction.pointer)
    }
}
