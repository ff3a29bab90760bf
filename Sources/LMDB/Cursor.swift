internal import CLMDB

/// A place in a table, to walk its entries in key order without copying them.
///
/// Each move returns whether there was an entry; if not, ``key`` and ``value`` keep what they were. They point into the map and
/// live as long as the transaction is borrowed, so they may be kept while the cursor moves on.
///
/// ## LMDB limitations
/// A cursor of a write transaction excludes changes as long as it lives. It is for one thread at a time.
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
