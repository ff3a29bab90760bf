/// Keys and values as arrays, where the caller has them at hand; they behave as those of spans.
extension WriteTransaction {
    /// The value under a key; see the form that takes a span.
    @_lifetime(borrow self)
    @inlinable public func get(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Span<UInt8>? { try get(table, key.span) }

    /// Stores a value under a key; see the form that takes spans.
    @inlinable public mutating func put(_ table: Table, _ key: [UInt8], _ value: [UInt8]) throws(LMDBError) {
        try put(table, key.span, value.span)
    }

    /// Stores a value under a number; see the form that takes a span.
    @inlinable public mutating func put(_ table: Table, _ key: UInt64, _ value: [UInt8]) throws(LMDBError) {
        try put(table, key, value.span)
    }

    /// Appends a value under a number; see the form that takes a span.
    @inlinable public mutating func append(_ table: Table, _ key: UInt64, _ value: [UInt8]) throws(LMDBError) {
        try append(table, key, value.span)
    }

    /// Removes a key and all under it; see the form that takes a span.
    @inlinable public mutating func delete(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool {
        try delete(table, key.span)
    }
}
