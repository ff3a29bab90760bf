internal import CLMDB

/// A read transaction: the environment as of one commit, unaffected by later ones.
///
/// Reads copy nothing: spans point into the memory map. Spans and cursors cannot outlive the snapshot, nor the snapshot its environment.
/// Dropping the snapshot ends it. Any thread may create and use one.
///
/// Each method throws ``LMDBError`` `.misuse` for a table of another environment or kind, and `.damaged` for a broken page.
///
/// ## LMDB limitations
///
/// While a snapshot lives, no page that it sees is reused, so the file grows. Each occupies a reader slot
/// (``Environment/Options/maxReaders``).
@safe public struct Snapshot: ~Copyable, ~Escapable {
    let transaction: TransactionHandle
    private let walkBytesHeld: Int?
    private let meter: ReadMeter?

    @_lifetime(borrow environment)
    init(_ environment: borrowing Environment) throws(LMDBError) {
        transaction = try environment.beginReading()
        walkBytesHeld = environment.options.walkBytesHeld
        meter = ReadMeter.current
    }

    deinit { Environment.endReading(transaction) }

    /// The value under a key, without copying it; nil if there is none.
    ///
    /// - Throws: ``LMDBError`` `.keyTooLong` for an empty key; see ``Snapshot``.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: false, "mdb_get")
        meter?.add(1)
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay mapped and unchanged until this transaction ends.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// The value under a number, without copying it; nil if there is none.
    ///
    /// - Throws: see ``Snapshot``.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: true, "mdb_get")
        meter?.add(1)
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay mapped and unchanged until this transaction ends.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// Opens a cursor before the table's first entry.
    ///
    /// - Parameter walk: the walk through several snapshots that the cursor continues, if any.
    /// - Throws: see ``Snapshot``.
    @_lifetime(borrow self)
    public func cursor(_ table: Table, walk: WalkMemory? = nil) throws(LMDBError) -> Cursor {
        let cursor = try Cursor(transaction, table, walkBytesHeld: walkBytesHeld, walk: walk, meter: meter)
        // SAFETY: deinit closes the cursor, which the borrow places before the transaction's end.
        return unsafe _overrideLifetime(cursor, borrowing: self)
    }

    /// The number of entries in a table.
    ///
    /// - Throws: see ``Snapshot``.
    public func count(_ table: Table) throws(LMDBError) -> Int { try transaction.count(table) }
}

/// Reads with keys as arrays.
extension Snapshot {
    /// See the form that takes a span.
    @_lifetime(borrow self)
    @inlinable public func get(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Span<UInt8>? { try get(table, key.span) }
}

extension Cursor {
    /// See the form that takes a span.
    @inlinable public mutating func seek(_ key: [UInt8]) throws(LMDBError) -> Bool { try seek(key.span) }
}
