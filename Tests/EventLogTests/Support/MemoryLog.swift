import EventLog

/// The expected behaviour of a log in the simplest form: an array, and the rules of the specification one after the other.
///
/// It shares no code with the real log except the types of inputs and results.
final class MemoryLog: ContractLog {
    private(set) var oracle = Oracle()

    init() {}

    var head: UInt64 { UInt64(oracle.events.count) }

    func append(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        if events.isEmpty { throw EventLogError(.invalidQuery, "nothing to append") }
        if let condition { try check(condition) }
        for event in events { try check(event) }
        let first = Position(head + 1)
        oracle.events += events
        return first...Position(head)
    }

    func read(_ query: Query, after: Position, backwards: Bool, limit: Int) throws(EventLogError) -> ReadResult {
        try check(query, after.rawValue)
        if limit < 0 { throw EventLogError(.invalidQuery, "a negative limit") }
        let found = oracle.positions(query, after: after.rawValue, through: head, backwards: backwards, limit: limit)
        let events = found.map { SequencedEvent(position: $0, event: oracle.events[Int($0.rawValue) - 1].normalized) }
        return ReadResult(events: events, head: Position(head))
    }

    private func check(_ condition: AppendCondition) throws(EventLogError) {
        let (query, after) = (condition.failIfEventsMatch, condition.after?.rawValue ?? 0)
        try check(query, after)
        let found = oracle.positions(query, after: after, through: head, backwards: false, limit: LogLimits.conflictPositionsMax)
        guard let oldest = found.first else { return }
        var item: Int?
        if case .items(let items) = query {
            item = items.firstIndex { oracle.matches(.items([$0]), oracle.events[Int(oldest.rawValue) - 1]) }
        }
        let conflict = AppendConflict(positions: found, item: item, canRetryHelp: condition.after != nil)
        throw EventLogError(.conditionFailed, "in the way", conflict: conflict)
    }

    private func check(_ query: Query, _ after: UInt64) throws(EventLogError) {
        if case .items(let items) = query {
            let isRefused =
                items.isEmpty || items.count > LogLimits.queryItemsMax
                || items.contains { item in
                    item.types.isEmpty && item.tags.isEmpty || item.types.count > LogLimits.queryTypesMax
                        || item.tags.count > LogLimits.tagsMax || item.tags.contains { ![.card, .shop, .code].contains($0.kind) }
                }
            if isRefused { throw EventLogError(.invalidQuery, "no question") }
            let isUnknown = items.contains { $0.types.contains { !(1...4).contains($0.rawValue) } }
            if isUnknown { throw EventLogError(.schemaConflict, "no such type") }
        }
        if after > head { throw EventLogError(.afterBeyondHead, "not there", position: Position(after)) }
    }

    private func check(_ event: NewEvent) throws(EventLogError) {
        if event.type.rawValue > 4 { throw EventLogError(.schemaConflict, "no such type") }
        if Set(event.tags).count > LogLimits.tagsMax { throw EventLogError(.tooManyTags, "too many") }
        if event.payload.count > 60_000 { throw EventLogError(.recordTooLarge, "too large") }
    }
}
