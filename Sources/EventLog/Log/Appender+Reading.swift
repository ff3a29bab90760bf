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

    /// Stages events that belong together unless something has happened that their decision did not know of.
    ///
    /// The condition sees stored events and those staged before, never the events themselves: with one appender, check and append
    /// are one step.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the positions that broke it; what a read throws; what
    ///   ``stage(_:)-([NewEvent])`` throws. Nothing is staged then.
    @discardableResult
    public func stage(_ events: [NewEvent], unless condition: AppendCondition) throws(EventLogError) -> ClosedRange<Position>? {
        let conflicts = try positions(
            matching: condition.failIfEventsMatch, after: condition.after, limit: LogLimits.conflictPositionsMax)
        guard conflicts.isEmpty else {
            let list = conflicts.map(\.description).joined(separator: ", ")
            throw EventLogError(.conditionFailed, "events that match came after \(condition.after): \(list).", conflicts: conflicts)
        }
        return try stage(events)
    }
}
