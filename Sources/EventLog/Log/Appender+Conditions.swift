extension Appender {
    /// Stages events that belong together, all of them or none, unless something has happened that their decision did not know of.
    ///
    /// The condition sees stored events and those staged before, never the events themselves: with one appender, check and append
    /// are one step. What is wrong is looked for in this order: no events, the query, `after`, a conflict, the events.
    ///
    /// - Parameters:
    ///   - events: at least one.
    ///   - condition: what must not have happened; nil when anything may have.
    /// - Returns: the positions of the events.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for no events; ``EventLogError/Code-swift.struct/afterBeyondHead``; what
    ///   else a read throws; what ``stage(_:)-([NewEvent])`` throws. Nothing is staged then.
    @discardableResult
    public func stage(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        if events.isEmpty { throw EventLogError(.invalidQuery, "an append of no events.") }
        if let condition, let conflict = try conflict(with: condition) { throw EventLogError(conflict) }
        let first = head.next
        try stage(events)
        return first...head
    }

    /// What breaks a condition, as of everything stored and staged; nil when nothing does.
    ///
    /// - Throws: as ``EventSource/positions(matching:after:through:backwards:limit:)``.
    public func conflict(with condition: AppendCondition) throws(EventLogError) -> AppendConflict? {
        let query = condition.failIfEventsMatch
        let found = try positions(matching: query, after: condition.after ?? .start, limit: LogLimits.conflictPositionsMax)
        guard let oldest = found.first else { return nil }
        let item = try withRecord(at: oldest) { record in query.firstItem(matching: record) }
        return AppendConflict(positions: found, item: item ?? nil, canRetryHelp: condition.after != nil)
    }
}
