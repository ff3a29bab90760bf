internal import CLMDB

/// A position in a table, for reading its entries in key order without copying them.
///
/// Each move returns whether there was an entry; if not, ``key`` and ``value`` stay. Both spans are valid as long as the transaction is
/// borrowed, even when the cursor moves on.
///
/// ## LMDB limitations
/// While a cursor of a write transaction lives, the transaction cannot change anything. Only one thread may use a cursor at a time.
@safe public struct Cursor: ~Copyable, ~Escapable {
    let transaction: TransactionHandle
    let handle: OpaquePointer
    let table: Table
    @usableFromInline var keyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @usableFromInline var valueBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var walked: WalkedPages?
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
        // SAFETY: the handle is live, and so is the borrowed transaction.
        unsafe mdb_cursor_close(handle)
    }

    /// The key of the entry; empty before the first move.
    public var key: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            // SAFETY: the bytes stay mapped and unchanged while the transaction is borrowed, and the span cannot outlive this.
            unsafe _overrideLifetime(Span(_unsafeElements: keyBytes), copying: self)
        }
    }

    /// The value of the entry; empty before the first move.
    public var value: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            // SAFETY: the bytes stay mapped and unchanged while the transaction is borrowed, and the span cannot outlive this.
            unsafe _overrideLifetime(Span(_unsafeElements: valueBytes), copying: self)
        }
    }

    /// The key in a table of integers. Traps without eight bytes, as before the first move. A damaged page never traps here, because the
    /// move onto it throws.
    @inlinable public var integerKey: UInt64 { unsafe Self.number(keyBytes) }

    // SAFETY: exactly eight bytes, checked; LMDB aligns them to two, hence the unaligned load.
    @inlinable @inline(__always)
    @unsafe static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        precondition(bytes.count == 8, "not an eight-byte number")
        return unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self)
    }
}

extension Cursor {
    /// Moves to the first entry; false if the table is empty.
    ///
    /// - Throws: ``LMDBError`` `.damaged` for a broken page, as does every move.
    public mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST) }

    /// Moves to the last entry; false if the table is empty.
    ///
    /// - Throws: as ``first()``.
    public mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST) }

    /// Moves to the next entry, or to the first on a new cursor; false on the last entry, where it stays.
    ///
    /// - Throws: as ``first()``.
    public mutating func next() throws(LMDBError) -> Bool {
        guard try move(MDB_NEXT) else { return false }
        unsafe walked?.pass(valueBytes)
        return true
    }

    /// Moves to the previous entry; to the last on a new cursor or after a ``seek(_:)`` that found nothing.
    ///
    /// - Throws: as ``first()``.
    public mutating func previous() throws(LMDBError) -> Bool {
        guard try move(MDB_PREV) else { return false }
        unsafe walked?.pass(valueBytes)
        return true
    }

    /// Moves to the first entry whose key is not less than `key`; false if there is none.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key, `.misuse` for a table of integers, else as ``first()``.
    public mutating func seek(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: false, "mdb_cursor_get")
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LMDBError) in try unsafe move(MDB_SET_RANGE, from: key) }
    }

    /// Moves to the first entry whose key is not less than `key`; false if there is none.
    ///
    /// - Throws: ``LMDBError`` `.misuse` unless the table is of integers, else as ``first()``.
    public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool {
        try transaction.check(table, integer: true, "mdb_cursor_get")
        return try unsafe withUnsafeBytes(of: key) { (key) throws(LMDBError) in
            try unsafe move(MDB_SET_RANGE, from: key.bindMemory(to: UInt8.self))
        }
    }

    @inline(__always)
    mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool { try unsafe move(operation, from: keyBytes) }

    // SAFETY: on success, both point into the map: LMDB replaced them, or `key` is the cursor's current key. On failure both are discarded,
    // so no pointer to a caller's key remains.
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

    /// A damaged page may hold an integer key of any length.
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
    /// One record of the log and a little more.
    private static let lines: UInt = 4
    /// About four records, which covers the latency of memory.
    private static let aheadBytes: UInt = 768

    /// Prefetches the bytes that a forward walk reads a few entries later.
    ///
    /// LMDB fills a page from its end, and processors predict only upward walks: otherwise a scan waits for memory at each record. A wrong
    /// prediction is harmless.
    public func prefetchWhatFollows() {
        guard let base = unsafe valueBytes.baseAddress else { return }
        let value = UInt(bitPattern: base)
        let page = value & ~(Self.pageBytes - 1)
        var ahead = value &- Self.aheadBytes
        if ahead < page { ahead &+= 2 * Self.pageBytes }
        for line in 0..<Self.lines { clmdb_prefetch(ahead &- line &* Self.lineBytes) }
    }
}
