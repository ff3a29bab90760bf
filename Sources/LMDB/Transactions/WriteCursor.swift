internal import CLMDB

/// A position in a table of bytes, for finding, storing and removing many entries in key order.
///
/// An entry on the same page as the last is found without a descent from the root, so key order is fastest but not required. While the
/// cursor lives, the compiler rejects any other use of its transaction.
///
/// ## LMDB limitations
/// Those of ``WriteTransaction``. After a failed change, drop the cursor and the transaction.
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
        // SAFETY: the handle is live, and so is the borrowed transaction.
        unsafe mdb_cursor_close(handle)
    }

    /// The value under a key as this transaction sees it, without copying it; nil if there is none.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key, `.damaged` for a broken page.
    @_lifetime(&self)
    public mutating func get(_ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        let found = try unsafe key.withValue { (key) throws(LMDBError) in
            var (key, value) = unsafe (key, MDB_val())
            let isFound = try transaction.found(unsafe mdb_cursor_get(handle, &key, &value, MDB_SET), "mdb_cursor_get")
            return unsafe isFound ? value.buffer : nil
        }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay in place until the next change, which only this cursor can make, and not while the span borrows it.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), mutating: &self)
    }

    /// Stores a value under a key, and replaces an existing value.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong`, `.mapFull`.
    public mutating func put(_ key: Span<UInt8>, _ value: Span<UInt8>) throws(LMDBError) {
        try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe value.withValue { (value) throws(LMDBError) in
                // SAFETY: LMDB copies keys and values before it returns.
                var (key, value) = unsafe (key, value)
                try transaction.require(unsafe mdb_cursor_put(handle, &key, &value, 0), "mdb_cursor_put")
            }
        }
    }

    /// Removes a key and its value; returns whether it existed.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key, `.mapFull`, because removing also copies pages.
    public mutating func delete(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        guard try get(key) != nil else { return false }
        try transaction.require(unsafe mdb_cursor_del(handle, 0), "mdb_cursor_del")
        return true
    }
}

extension WriteTransaction {
    /// Opens a cursor for changing a table of bytes. While it lives, the compiler rejects any other use of the transaction.
    ///
    /// - Throws: ``LMDBError`` `.misuse` for another environment's table, or one that is not of bytes.
    @_lifetime(&self)
    public mutating func writeCursor(_ table: Table) throws(LMDBError) -> WriteCursor {
        try transaction.check(table, integer: false, "mdb_put")
        let cursor = try WriteCursor(transaction, table)
        // SAFETY: deinit closes the cursor, which the borrow places before the next change and the transaction's end.
        return unsafe _overrideLifetime(cursor, mutating: &self)
    }
}
