internal import CLMDB
internal import Glibc

/// The only write transaction of an environment. It sees its own changes; later snapshots see them after ``commit()``.
///
/// Dropping it undoes everything. Spans and cursors borrow it, so that none is live during a change: LMDB moves pages when it writes.
///
/// Each method throws ``LMDBError`` `.misuse` for a table of another environment or kind, and `.damaged` for a broken page.
///
/// ## LMDB limitations
///
/// One write transaction exists at a time, in all processes together; ``Environment/write()`` waits. It belongs to the thread that began
/// it, so asynchronous functions cannot use it. After a failed change, drop it: only an abort restores a known state.
///
/// It owns a reference to its environment, because the borrow alone did not keep the environment alive in release builds.
///
/// If the lock file was overwritten, the transaction neither commits nor aborts, because LMDB would use the overwritten mutex. It then
/// keeps its reference: the thread's list of robust mutexes leads into the mapped file, which must stay until the process ends.
@safe @available(*, noasync)
public struct WriteTransaction: ~Copyable, ~Escapable {
    let transaction: TransactionHandle

    @_lifetime(borrow environment)
    init(_ environment: borrowing Environment) throws(LMDBError) { transaction = try environment.beginWriting() }

    deinit {
        let environment = Environment.endWriting(transaction)
        guard (try? environment.requireLockFile()) != nil else { return }
        // SAFETY: the handle is live: commit discards self, so deinit runs only without a commit.
        unsafe mdb_txn_abort(transaction.pointer)
        Environment.letGo(environment)
    }

    /// Makes all changes visible, and durable unless the environment has ``Environment/Durability/none``. Ends the transaction.
    ///
    /// - Throws: ``LMDBError`` `.diskFull`, `.mapFull` or `.lockDamaged` with nothing stored. Any other error leaves the outcome unknown
    ///   until the environment is opened again.
    public consuming func commit() throws(LMDBError) {
        let transaction = self.transaction
        discard self
        let environment = Environment.endWriting(transaction)
        try environment.requireLockFile()
        environment.makeRoom()
        // SAFETY: the handle is live, and LMDB frees it whatever the call returns.
        errno = 0
        let number = unsafe mdb_txn_commit(transaction.pointer)
        let system = errno
        let (path, setting) = (environment.directory, environment.options.mapSetting)
        Environment.letGo(environment)
        guard number != 0 else { return }
        throw LMDBError(writing: number, system: system, call: "mdb_txn_commit", path: path, setting: setting)
    }

    /// The value under a key as this transaction sees it, without copying it; nil if there is none.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key; see ``WriteTransaction``.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: false, "mdb_get")
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay in place until the next change, which the borrow excludes.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// The value under a number as this transaction sees it, without copying it; nil if there is none.
    ///
    /// - Throws: see ``WriteTransaction``.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: true, "mdb_get")
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay in place until the next change, which the borrow excludes.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// Opens a cursor over a table as this transaction sees it. While it lives, the transaction cannot change anything.
    ///
    /// - Throws: see ``WriteTransaction``.
    @_lifetime(borrow self)
    public func cursor(_ table: Table) throws(LMDBError) -> Cursor {
        let cursor = try Cursor(transaction, table)
        // SAFETY: deinit closes the cursor, which the borrow places before the next change and the transaction's end.
        return unsafe _overrideLifetime(cursor, borrowing: self)
    }

    /// The number of entries in a table.
    ///
    /// - Throws: see ``WriteTransaction``.
    public func count(_ table: Table) throws(LMDBError) -> Int { try transaction.count(table) }
}

extension WriteTransaction {
    /// Stores a value under a key, and replaces an existing value.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong`, `.mapFull`; see ``WriteTransaction``.
    public mutating func put(_ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>) throws(LMDBError) {
        try transaction.check(table, integer: false, "mdb_put")
        try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe value.withValue { (value) throws(LMDBError) in try unsafe store(table, key, value, 0) }
        }
    }

    /// Stores a value under a number, and replaces an existing value.
    ///
    /// - Throws: ``LMDBError`` `.mapFull`; see ``WriteTransaction``.
    public mutating func put(_ table: Table, _ key: UInt64, _ value: Span<UInt8>) throws(LMDBError) {
        try transaction.check(table, integer: true, "mdb_put")
        try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe value.withValue { (value) throws(LMDBError) in try unsafe store(table, key, value, 0) }
        }
    }

    /// Stores a value under a number greater than every key, which needs no search and fills pages completely.
    ///
    /// - Throws: ``LMDBError`` `.outOfOrder` for a smaller number, else as ``put(_:_:_:)``.
    public mutating func append(_ table: Table, _ key: UInt64, _ value: Span<UInt8>) throws(LMDBError) {
        try transaction.check(table, integer: true, "mdb_put")
        try unsafe key.withValue { (key) throws(LMDBError) in
            try unsafe value.withValue { (value) throws(LMDBError) in try unsafe store(table, key, value, MDB_APPEND) }
        }
    }

    /// Appends a value of `count` bytes that `initialize` writes directly into the page.
    ///
    /// - Parameter initialize: must write exactly `count` bytes.
    /// - Throws: ``LMDBError`` `.misuse` if it wrote fewer; the entry is removed again, because the rest would be old memory. Else as the
    ///   other ``append(_:_:_:)``.
    public mutating func append(_ table: Table, _ key: UInt64, count: Int, _ initialize: (inout OutputRawSpan) -> Void) throws(LMDBError) {
        try transaction.check(table, integer: true, "mdb_put")
        try unsafe key.withValue { (key) throws(LMDBError) in
            let page = try unsafe reserve(table, key, count)
            if unsafe Self.fill(page, initialize) == count { return }
            var key = unsafe key
            try transaction.require(unsafe mdb_del(transaction.pointer, table.handle, &key, nil), "mdb_del")
            throw unsafe LMDBError.misuse("mdb_put", "fewer bytes written than reserved", transaction: transaction.pointer)
        }
    }

    /// Removes a key and its value; returns whether it existed.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key; `.mapFull`, because removing also copies pages; see ``WriteTransaction``.
    public mutating func delete(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: false, "mdb_del")
        return try unsafe key.withValue { (key) throws(LMDBError) in
            var key = unsafe key
            return try transaction.found(unsafe mdb_del(transaction.pointer, table.handle, &key, nil), "mdb_del")
        }
    }

    /// Removes a number and its value; returns whether it existed.
    ///
    /// - Throws: ``LMDBError`` `.mapFull`, because removing also copies pages; see ``WriteTransaction``.
    public mutating func delete(_ table: Table, _ key: UInt64) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: true, "mdb_del")
        return try unsafe key.withValue { (key) throws(LMDBError) in
            var key = unsafe key
            return try transaction.found(unsafe mdb_del(transaction.pointer, table.handle, &key, nil), "mdb_del")
        }
    }

    /// Removes all entries of a table, but not the table.
    ///
    /// - Throws: ``LMDBError`` `.mapFull`; see ``WriteTransaction``.
    public mutating func removeAll(_ table: Table) throws(LMDBError) {
        try transaction.checkOwner(table, "mdb_drop")
        try transaction.require(unsafe mdb_drop(transaction.pointer, table.handle, 0), "mdb_drop")
    }
}

extension WriteTransaction {
    // SAFETY: LMDB copies the key and the value before it returns.
    @inline(__always)
    @unsafe private func store(_ table: Table, _ key: MDB_val, _ value: MDB_val, _ flags: Int32) throws(LMDBError) {
        var (key, value) = unsafe (key, value)
        let number = unsafe mdb_put(transaction.pointer, table.handle, &key, &value, UInt32(flags))
        try transaction.require(number, "mdb_put")
    }

    // SAFETY: the bytes are in a page that this transaction is writing, and stay in place until the next change.
    @unsafe private func reserve(_ table: Table, _ key: MDB_val, _ count: Int) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        var key = unsafe key
        var value = unsafe MDB_val(mv_size: count, mv_data: nil)
        let flags = UInt32(MDB_APPEND) | UInt32(MDB_RESERVE)
        try transaction.require(unsafe mdb_put(transaction.pointer, table.handle, &key, &value, flags), "mdb_put")
        return unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: count)
    }

    // SAFETY: the output span is limited to the reserved bytes and does not leave this function.
    @unsafe private static func fill(_ page: UnsafeMutableRawBufferPointer, _ initialize: (inout OutputRawSpan) -> Void) -> Int {
        var output = unsafe OutputRawSpan(buffer: page, initializedCount: 0)
        initialize(&output)
        return unsafe output.finalize(for: page)
    }
}

/// Operations with keys and values as arrays.
extension WriteTransaction {
    /// See the form that takes a span.
    @_lifetime(borrow self)
    @inlinable public func get(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Span<UInt8>? { try get(table, key.span) }

    /// See the form that takes spans.
    @inlinable public mutating func put(_ table: Table, _ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        try put(table, key.span, value.span)
    }

    /// See the form that takes a span.
    @inlinable public mutating func put(_ table: Table, _ key: UInt64, _ value: [UInt8]) throws(LMDBError) {
        try put(table, key, value.span)
    }

    /// See the form that takes a span.
    @inlinable public mutating func append(_ table: Table, _ key: UInt64, _ value: [UInt8]) throws(LMDBError) {
        try append(table, key, value.span)
    }

    /// See the form that takes a span.
    @inlinable public mutating func delete(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool { try delete(table, key.span) }
}
