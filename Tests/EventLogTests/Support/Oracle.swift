import EventLog

/// What a log must answer, by the plainest means: an array of events, looked through from end to end.
///
/// It shares no code with the log: it looks at the events as they were given, not at records, and knows no index.
struct Oracle {
    var events: [NewEvent] = []

    func matches(_ query: Query, _ event: NewEvent) -> Bool {
        switch query {
        case .all: true
        case .items(let items):
            items.contains { item in
                (item.types.isEmpty || item.types.contains { $0 == event.type }) && Set(item.tags).isSubset(of: Set(event.tags))
            }
        }
    }

    func positions(_ query: Query, after: UInt64, through: UInt64, backwards: Bool, limit: Int) -> [Position] {
        var found: [Position] = []
        for (index, event) in events.enumerated() {
            let position = UInt64(index + 1)
            if position > after && position <= through && matches(query, event) { found.append(Position(position)) }
        }
        if backwards { found.reverse() }
        return Array(found.prefix(limit))
    }
}
