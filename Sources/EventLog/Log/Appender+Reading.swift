extension Appender {
    /// The places of the stored and staged events that match; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: log.schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).positions(matching: query, in: range)
    }

    /// The newest stored or staged event that has this tag and, if given, this type.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if !log.schema.isIndexed(tag.kind) { try Query.tags(tag).check(by: log.schema) }
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a stored or staged record, in place.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        let unstored = unstored
        if let bytes = unstored.record(at: position.rawValue) { return try body(LogStorage.checked(bytes, at: position.rawValue)) }
        return try log.withRecord(at: position, body)
    }
}
