internal import LMDB

extension EventLog {
    /// The places of the committed events that match; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: storage, index: index, unstored: .none).positions(matching: query, in: range)
    }

    /// The newest committed event that has this tag and, if given, this type.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if !schema.isIndexed(tag.kind) { try Query.tags(tag).check(by: schema) }
        return try IndexedSearch(log: storage, index: index, unstored: .none).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a committed record, in place.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        if position == .start || position > head { return nil }
        guard let result = try storage.withRecord(at: position.rawValue, body) else { throw LogStorage.gap(at: position.rawValue) }
        return result
    }

    /// Calls `body` with each committed record in the order of positions, in place, until it returns false.
    ///
    /// It reads through a sequence of short snapshots, so the log can be walked from end to end while it grows, at any pace, and its
    /// file does not grow by more meanwhile. `body` SHOULD NOT wait for others: it holds one of them. No record is copied.
    ///
    /// - Parameters:
    ///   - after: exclusive; at most ``head``.
    ///   - through: inclusive; what lies beyond the head counts as the head.
    ///   - body: says whether to go on; the record is gone when it returns.
    /// - Throws: what `body` throws, ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func scan(
        after: Position = .start, through: Position = .max, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        let range = try PositionRange(after: after, through: through, backwards: false, limit: .max, head: head)
        try storage.scan(from: range.first, through: range.last, body)
    }

    /// Where the tag index stands; nil for a log that was opened for reading only.
    public var indexStatus: IndexStatus? { index?.status }
}
