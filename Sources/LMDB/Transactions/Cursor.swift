internal import CLMDB

/// A position in a table, for reading its entries in key order without copying them.
///
/// Each move returns whether there was an entry; if not, ``key`` and ``value`` keep their old values. Both spans point into a page of LMDB.
/// They are valid as long as the transaction is borrowed, so they may be kept while the cursor moves on.
///
/// ## LMDB limitations
/// While a cursor of a write transaction lives, the transaction cannot change anything. Only one thread may use a cursor at a time.
///
/// LMDB fills a page from its end. So a forward walk goes to ever lower addresses within a page, a direction that processors do not
/// predict. Prefetching the record about four entries ahead saved 1.2 of the 8.9 s of a replay of 10,000,000 events.
@safe public struct Cursor: ~Copyable, ~Escapable {
    let transaction: TransactionHandle
    let handle: OpaquePointer
    let table: Table
    @usableFromInline var keyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @usableFromInline var valueBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var walked: WalkedPages?
    /// The walk through several snapshots that this cursor belongs to; nil if there is no such walk.
    private let walk: WalkMemory?
    private let meter: ReadMeter?

    @_lifetime(immortal)
    init(
        _ transaction: TransactionHandle, _ table: Table, walkBytesHeld: Int? = nil, walk: WalkMemory? = nil, meter: ReadMeter? = nil
    ) throws(LMDBError) {
        unsafe handle = try transaction.openCursor(table)
        walked = walk?.pages ?? walkBytesHeld.map { WalkedPages(limit: $0) }
        self.walk = walk
        self.meter = meter
        self.transaction = transaction
        self.table = table
    }

    deinit {
        if let walk { walk.pages = walked } else if var walked { walked.end() }
        // SAFETY: the handle is live, and so is the transaction that this value borrows.
        unsafe mdb_cursor_close(handle)
    }

    /// The key of the entry; empty before the first move.
    public var key: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            // SAFETY: the bytes stay mapped and unchanged while the transaction is borrowed, and the returned span cannot outlive this
            // borrow.
            unsafe _overrideLifetime(Span(_unsafeElements: keyBytes), copying: self)
        }
    }

    /// The value of the entry; empty before the first move.
    public var value: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            // SAFETY: the bytes stay mapped and unchanged while the transaction is borrowed, and the returned span cannot outlive this
            // borrow.
            unsafe _overrideLifetime(Span(_unsafeElements: valueBytes), copying: self)
        }
    }

    /// The key of an entry in a table of integers. Traps if the key does not have eight bytes: before the first move, and for most keys of
    /// a table of bytes. A damaged page of a table of integers never causes a trap here, because the move onto that page throws.
    @inlinable public var integerKey: UInt64 { unsafe Self.number(keyBytes) }

    // SAFETY: exactly eight bytes, checked. LMDB aligns them only to two bytes, hence the unaligned load.
    @inlinable @inline(__always)
    @unsafe static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        precondition(bytes.count == 8, "not an eight-byte number")
        return unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self)
    }
}

extension Cursor {
    /// Moves to the first entry; false if the table is empty.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` for a broken page, as does every move.
    public mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST) }

    /// Moves to the last entry; false when the table is empty.
    ///
    /// - Throws: as ``first()``.
    public mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST) }

    /// Moves to the next entry, or to the first one on a new cursor. Returns false on the last entry and stays there.
    ///
    /// - Throws: as ``first()``.
    public mutating func next() throws(LMDBError) -> Bool {
        guard try move(MDB_NEXT) else { return false }
        unsafe walked?.pass(valueBytes)
        return true
    }

    /// Moves to the previous entry. Goes to the last entry on a new cursor, and after a ``seek(_:)`` that found nothing. After a
    /// ``seek(exactly:)`` that found nothing, goes to the last entry whose key is less than the wanted key.
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

    /// Moves to the entry with exactly this key; false when there is none.
    ///
    /// - Throws: as the ``seek(_:)`` that takes a span.
    public mutating func seek(exactly key: Span<UInt8>) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: false, "mdb_cursor_get")
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LMDBError) in try unsafe move(MDB_SET_KEY, from: key) }
    }

    @inline(__always)
    mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
        try unsafe move(operation, from: keyBytes)
    }

    // SAFETY: after a success, `key` and `value` point into the map. LMDB has replaced both, or `key` is still the cursor's current key,
    // which LMDB returned earlier. After a failure, both are discarded, so no pointer to a caller's key remains.
    @unsafe mutating func move(_ operation: MDB_cursor_op, from start: UnsafeBufferPointer<UInt8>) throws(LMDBError) -> Bool {
        var key = unsafe MDB_val(start)
        var value = unsafe MDB_val(valueBytes)
        meter?.add(1)
        guard try transaction.found(unsafe mdb_cursor_get(handle, &key, &value, operation), "mdb_cursor_get") else { return false }
        unsafe keyBytes = unsafe key.buffer
        unsafe valueBytes = unsafe value.buffer
        try checkNumbers()
        return true
    }

    /// Throws unless the key of a table of integers has eight bytes. A damaged page may hold a key of any length.
    @inline(__always)
    private func checkNumbers() throws(LMDBError) {
        if table.kind == .bytes { return }
        if unsafe keyBytes.count == 8 { return }
        throw unsafe LMDBError.damaged("mdb_cursor_get", "a number that has not eight bytes", transaction: transaction.pointer)
    }
}

extension Cursor {
    private static let lineBytes: UInt = 64
    private static let pageBytes: UInt = 4_096
    /// The number of cache lines to prefetch per call: enough for one record of the log and a little more.
    private static let lines: UInt = 4
    /// The prefetch distance: about four records of the log, which covers the latency of memory.
    private static let aheadBytes: UInt = 768

    /// Prefetches the bytes that a forward walk reads a few entries later.
    ///
    /// LMDB fills a page from its end, so these bytes are at lower addresses, and after them at the end of the next page. Processors
    /// predict only upward walks: without this call, a scan of the log waits for memory at each record. A wrong prediction is harmless.
    public func prefetchWhatFollows() {
        guard let base = unsafe valueBytes.baseAddress else { return }
        let value = UInt(bitPattern: base)
        let page = value & ~(Self.pageBytes - 1)
        var ahead = value &- Self.aheadBytes
        if ahead < page { ahead &+= 2 * Self.pageBytes }
        for line in 0..<Self.lines { clmdb_prefetch(ahead &- line &* Self.lineBytes) }
    }
}
