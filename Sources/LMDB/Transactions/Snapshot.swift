internal import CLMDB

/// A read transaction: the environment as of one commit, unaffected by later ones.
///
/// Reads copy nothing: a returned span points into the memory map. The compiler keeps every span and cursor within the life of its
/// snapshot, and the snapshot within the life of its environment. Dropping the snapshot ends it. Any thread may create and use one.
///
/// ## LMDB limitations
/// While a snapshot lives, no page that it can see is reused. So the file grows if a snapshot is held for long. Each snapshot occupies a
/// reader slot of the environment (``Environment/Options/maxReaders``).
@safe public struct Snapshot: ~Copyable, ~Escapable {
    let transaction: TransactionHandle
    private let walkBytesHeld: Int?
    /// Counts the rows that this snapshot reads; nil if nobody pays for them.
    private let meter: ReadMeter?

    @_lifetime(borrow environment)
    init(_ environment: borrowing Environment) throws(LMDBError) {
        transaction = try environment.beginReading()
        walkBytesHeld = environment.options.walkBytesHeld
        meter = ReadMeter.current
    }

    deinit {
        Environment.endReading(transaction)
    }

    /// The value under a key, without copying it.
    ///
    /// - Returns: nil when there is no such key.
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table, or one that is not of bytes; ``LMDBError/Code/keyTooLong`` for
    ///   an empty key; ``LMDBError/Code/damaged`` for a broken page.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: Span<UInt8>) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: false, "mdb_get")
        meter?.add(1)
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay mapped and unchanged until this transaction ends.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// The value under a number, without copying it.
    ///
    /// - Returns: nil when there is no such key.
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table, or one that is not of integers; ``LMDBError/Code/damaged`` for
    ///   a broken page.
    @_lifetime(borrow self)
    public func get(_ table: Table, _ key: UInt64) throws(LMDBError) -> Span<UInt8>? {
        try transaction.check(table, integer: true, "mdb_get")
        meter?.add(1)
        let found = try unsafe key.withValue { (key) throws(LMDBError) in try unsafe transaction.get(table, key) }
        guard let found = unsafe found else { return nil }
        // SAFETY: the bytes stay mapped and unchanged until this transaction ends.
        return unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }

    /// Opens a cursor over a table. It is before the table's first entry.
    ///
    /// - Parameter walk: the walk through several snapshots of the environment that the cursor continues; nil if there is no such walk.
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table.
    @_lifetime(borrow self)
    public func cursor(_ table: Table, walk: WalkMemory? = nil) throws(LMDBError) -> Cursor {
        let cursor = try Cursor(transaction, table, walkBytesHeld: walkBytesHeld, walk: walk, meter: meter)
        // SAFETY: deinit closes the cursor, and the borrow makes that happen before the end of this transaction.
        return unsafe _overrideLifetime(cursor, borrowing: self)
    }

    /// The number of entries in a table.
    ///
    /// - Throws: ``LMDBError/Code/misuse`` for another environment's table.
    public func count(_ table: Table) throws(LMDBError) -> Int { try transaction.count(table) }
}

/// Reads with keys as arrays, for callers that have an array and no span.
extension Snapshot {
    /// The value under a key; see the form that takes a span.
    @_lifetime(borrow self)
    @inlinable public func get(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Span<UInt8>? { try get(table, key.span) }
}

extension Cursor {
    /// Moves to the first key not less than `key`; see the form that takes a span.
    @inlinable public mutating func seek(_ key: [UInt8]) throws(LMDBError) -> Bool { try seek(key.span) }

    /// Moves to exactly this key; see the form that takes a span.
    @inlinable public mutating func seek(exactly key: [UInt8]) throws(LMDBError) -> Bool { try seek(exactly: key.span) }
}
