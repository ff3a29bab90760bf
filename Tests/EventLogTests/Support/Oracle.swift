import EventLog

/// The expected answers of a log in the simplest form: an array of events that is scanned completely.
///
/// It shares no code with the log: it uses the original events instead of records, and has no index.
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
