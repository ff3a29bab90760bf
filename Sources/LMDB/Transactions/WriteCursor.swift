internal import CLMDB

/// A place in a table of bytes, to find, put and remove many entries in the order of their keys.
///
/// It stays on the page of the last entry: one that belongs there too is found without a descent from the root. In another order
/// it does just the same, and gains nothing. It holds its transaction: the compiler refuses any other use of that while it lives.
///
/// ## LMDB limitations
/// As of the transaction: after a change that failed, drop both.
///
/// `mdb_put` searches each key from the root, which took a third of a rebuild; a cursor stays on its page, so batches are written in key
/// order through one cursor for each table.
@safe @available(*, noasync)
public struct WriteCursor: ~Copyable, ~Escapable {
    private let transaction: TransactionHandle
    private let handle: OpaquePointer

    @_lifetime(immortal)
    init(_ transaction: TransactionHandle, _ table: Table) throws(LMDBError) {
        unsafe handle = try transaction.openCursor(table)
        self.transaction = transaction
    }

    deinit {
        // SAFETY: the handle is live, and so is the transaction that this value borrows.
        unsafe mdb_cursor_close(handle)
    }

    /// The value under a key, as the transaction has it, without copying it.
    ///
    /// - Returns: nil when there is no such key.
    /// - Throws: ``LMDBError/Code/keyTooLong`` for an empty key, ``LMDBError/Code/damaged`` for a broken page.
    @_lifetime(&self)
    public mutating func get(_ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        let found = try unsafe key.withValue { (key) throws(LMDBError) in
            var (key, value) = unsafe (key, MDB_val())
            let isFound = try transaction.found(unsafe mdb_cursor_get(handle, &key, &value, MDB_SET), "mdb_cursor_get")
            return unsafe isFound ? value.buffer : nil
        }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay in place until the next change, which only this value can make and the borrow excludes.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), mutating: &self)
    }

    /// Stores a value under a key, in place of what was there.
    ///
    /// - Throws: ``LMDBError/Code/keyTooLong``, ``LMDBError/Code/mapFull``.
    public mutating func put(_ key: Span<UInt8>, _ value: Span<UInt8>) throws(LMDBError) {
        try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe value.withValue { (value) throws(LMDBError) in
                // SAFETY: keys and values are copied by LMDB before it returns.
                var (key, value) = unsafe (key, value)
                try transaction.require(unsafe mdb_cursor_put(handle, &key, &value, 0), "mdb_cursor_put")
            }
        }
    }

    /// Removes a key and its value.
    ///
    /// - Returns: whether it was there.
    /// - Throws: ``LMDBError/Code/keyTooLong`` for an empty key, ``LMDBError/Code/mapFull``: removing copies pages, too.
    public mutating func delete(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        guard try get(key) != nil else { return false }
        try transaction.require(unsafe mdb_cursor_del(handle, 0), "mdb_cursor_del")
        return true
    }
}

extension WriteTransaction {
    /// A cursor to change a table of bytes with; nothing else can be read or changed while it lives.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table, or one that is not of bytes.
    @_lifetime(&self)
    public mutating func writeCursor(_ table: Table) throws(LMDBError) -> WriteCursor {
        try transaction.check(table, integer: false, "mdb_put")
        let cursor = try WriteCursor(transaction, table)
        // SAFETY: the cursor is closed by its deinit, which the borrow puts before the next change and the end.
        return unsafe _overrideLifetime(cursor, mutating: &self)
    }
}
