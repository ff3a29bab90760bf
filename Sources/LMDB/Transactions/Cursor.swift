internal import CLMDB

/// A place in a table, to walk its entries in key order without copying them.
///
/// Each move returns whether there was an entry; if not, ``key`` and ``value`` keep what they were. They point into the map and
/// live as long as the transaction is borrowed, so they may be kept while the cursor moves on.
///
/// ## LMDB limitations
/// A cursor of a write transaction excludes changes as long as it lives. It is for one thread at a time.
///
/// LMDB fills a page from its end, so a walk forward goes downwards in memory, which processors do not predict. Prefetching the record that
/// comes four later saved 1.2 of 8.9 s of a replay of 10,000,000 events.
@safe public struct Cursor: ~Copyable, ~Escapable {
    let transaction: TransactionHandle
    let handle: OpaquePointer
    let table: Table
    @usableFromInline var keyBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @usableFromInline var valueBytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var walked: WalkedPages?
    /// The walk over several snapshots that this cursor is a part of.
    private let walk: WalkMemory?

    @_lifetime(immortal)
    init(_ transaction: TransactionHandle, _ table: Table, walkBytesHeld: Int? = nil, walk: WalkMemory? = nil) throws(LMDBError) {
        unsafe handle = try transaction.openCursor(table)
        walked = walk?.pages ?? walkBytesHeld.map { WalkedPages(limit: $0) }
        self.walk = walk
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
            // SAFETY: the bytes stay mapped and unchanged while the transaction is borrowed, which is the lifetime copied.
            unsafe _overrideLifetime(Span(_unsafeElements: keyBytes), copying: self)
        }
    }

    /// The value of the entry; empty before the first move.
    public var value: Span<UInt8> {
        @inlinable @_lifetime(copy self) get {
            // SAFETY: as for the key.
            unsafe _overrideLifetime(Span(_unsafeElements: valueBytes), copying: self)
        }
    }

    /// The key of an entry in a table of integers; traps on another kind, and before the first move, but never on a damaged page:
    /// the move onto it has thrown.
    @inlinable public var integerKey: UInt64 { unsafe Self.number(keyBytes) }

    // SAFETY: exactly eight bytes, checked; LMDB aligns them to two only, hence unaligned.
    @inlinable @inline(__always)
    @unsafe static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        precondition(bytes.count == 8, "not an eight-byte number")
        return unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self)
    }
}

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

    /// A damaged page may hold a key of any length, but callers that read it as a number rely on eight bytes.
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
    /// Lines asked for at once: a record of the log and a little more.
    private static let lines: UInt = 4
    /// How far ahead: some four records of the log, about as long as memory takes to answer.
    private static let aheadBytes: UInt = 768

    /// Asks for the bytes that a walk forward comes to a few entries later.
    ///
    /// LMDB fills a page from its end, so they lie below the entry, and then at the end of the page behind. Processors guess a walk
    /// upwards, but not this one: in a scan of the log each record was waited for. Where the guess is wrong nothing happens.
    public func prefetchWhatFollows() {
        guard let base = unsafe valueBytes.baseAddress else { return }
        let value = UInt(bitPattern: base)
        let page = value & ~(Self.pageBytes - 1)
        var ahead = value &- Self.aheadBytes
        if ahead < page { ahead &+= 2 * Self.pageBytes }
        for line in 0..<Self.lines { clmdb_prefetch(ahead &- line &* Self.lineBytes) }
    }
}
