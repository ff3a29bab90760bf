internal import CLMDB

/// A position in a table of bytes, for finding, storing and removing many entries in key order.
///
/// The cursor stays on the page of the last entry, so another entry on the same page is found without a descent from the root. Every key on
/// another page is searched from the root, so key order is fastest but not required. While the cursor lives, the compiler rejects any other
/// use of its transaction.
///
/// ## LMDB limitations
/// The limitations of ``WriteTransaction`` apply. After a failed change, drop the cursor and the transaction.
///
/// `mdb_put` searches each key from the root, which took a third of the time of a rebuild. A cursor avoids that, so batches are written in
/// key order through one cursor for each table.
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

    /// The value under a key as this transaction sees it, without copying it.
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
        // SAFETY: the bytes stay in place until the next change. Only this cursor can make a change, and not while the returned span
        // borrows it.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), mutating: &self)
    }

    /// Stores a value under a key, and replaces an existing value.
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
    /// - Returns: whether the key existed.
    /// - Throws: ``LMDBError/Code/keyTooLong`` for an empty key, ``LMDBError/Code/mapFull``, because removing also copies pages.
    public mutating func delete(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        guard try get(key) != nil else { return false }
        try transaction.require(unsafe mdb_cursor_del(handle, 0), "mdb_cursor_del")
        return true
    }
}

extension WriteTransaction {
    /// Opens a cursor for changing a table of bytes. While the cursor lives, the compiler rejects any other use of the transaction.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table, or one that is not of bytes.
    @_lifetime(&self)
    public mutating func writeCursor(_ table: Table) throws(LMDBError) -> WriteCursor {
        try transaction.check(table, integer: false, "mdb_put")
        let cursor = try WriteCursor(transaction, table)
        // SAFETY: deinit closes the cursor, and the borrow makes that happen before the next change and the transaction's end.
        return unsafe _overrideLifetime(cursor, mutating: &self)
    }
}
