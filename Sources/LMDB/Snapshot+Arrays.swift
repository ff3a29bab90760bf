/// Keys as arrays, where the caller has one at hand; they behave as those of spans.
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
