internal import LMDB

extension IndexedSearch {
    /// The newest event through `head` that has a tag and, if given, a type. A miss allocates nothing.
    func last(of tag: Tag, type: EventType?, through head: Position) throws(EventLogError) -> Position? {
        if let index {
            let (proposed, end) = try index.newest(of: tag, type: type, through: head.rawValue)
            // Unless it has left newer events out.
            if end > head.rawValue {
                guard let proposed else { return nil }
                if try hasTag(tag, type, at: proposed) { return Position(proposed) }
            }
        }
        // Without an index, or with one that was wrong: the long way.
        let query = Query.items([QueryItem(types: type.map { [$0] } ?? [], tags: [tag])])
        let range = PositionRange(first: 1, last: head.rawValue, backwards: true, limit: 1)
        return try positions(matching: query, in: range).first
    }

    private func hasTag(_ tag: Tag, _ type: EventType?, at position: UInt64) throws(EventLogError) -> Bool {
        if let bytes = unstored.record(at: position) {
            let record = try LogStorage.checked(bytes, at: position)
            return record.has(tag) && (type == nil || record.type == type)
        }
        let found = try log.withRecord(at: position) { record in record.has(tag) && (type == nil || record.type == type) }
        guard let found else { throw LogStorage.gap(at: position) }
        return found
    }
}
