extension IndexedSearch {
    /// The positions at which events match, by looking at each.
    func scanned(_ query: Query, _ range: PositionRange) throws(EventLogError) -> [Position] {
        var found: [Position] = []
        if range.backwards {
            try scanUnstored(query, range, &found)
            try scanStored(query, range, &found)
        } else {
            try scanStored(query, range, &found)
            try scanUnstored(query, range, &found)
        }
        return found
    }

    private func scanStored(_ query: Query, _ range: PositionRange, _ found: inout [Position]) throws(EventLogError) {
        let last = min(range.last, unstored.first - 1)
        if found.count >= range.limit || range.first > last { return }
        let take = { (position: Position, record: borrowing Record) throws(EventLogError) -> Bool in
            if query.matches(record) { found.append(position) }
            return found.count < range.limit
        }
        if range.backwards { return try log.scanBackwards(from: range.first, through: last, take) }
        do { try log.scan(from: range.first, through: last, take) } catch { throw EventLogError(any: error) }
    }

    private func scanUnstored(_ query: Query, _ range: PositionRange, _ found: inout [Position]) throws(EventLogError) {
        if range.last < unstored.first { return }
        let (first, last) = (max(range.first, unstored.first), range.last)
        var position = range.backwards ? last : first
        while found.count < range.limit, position >= first, position <= last {
            guard let bytes = unstored.record(at: position) else { throw LogStorage.gap(at: position) }
            if query.matches(try LogStorage.checked(bytes, at: position)) { found.append(Position(position)) }
            position = range.backwards ? position - 1 : position + 1
        }
    }
}
