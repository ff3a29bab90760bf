internal import LMDB

/// Answers one query from the events up to one head, by the index if every item has tags, otherwise by examining every event.
///
/// The index only proposes positions; each proposed record is compared with the item.
struct IndexedSearch {
    let log: LogStorage
    /// Without it, every query scans the log.
    let index: TagIndex?
    /// After the stored events.
    let unstored: UnstoredEvents

    func positions(matching query: Query, in range: PositionRange) throws(EventLogError) -> [Position] {
        if range.isEmpty { return [] }
        guard let index, !query.needsScan, case .items(let items) = query else { return try scanned(query, range) }
        if items.count == 1 { return try found(items[0], range, index).map { Position($0) } }
        var merged = Set<UInt64>()
        // The first `limit` positions of all items are among the first `limit` of each.
        for item in items { merged.formUnion(try found(item, range, index)) }
        let sorted = range.backwards ? merged.sorted(by: >) : merged.sorted()
        return sorted.prefix(range.limit).map { Position($0) }
    }

    /// Searches for an item with tags, and examines the events that the index left out. The index's end is read first: it only moves
    /// forward, so the later search covers every position before it.
    private func found(_ item: QueryItem, _ range: PositionRange, _ index: TagIndex) throws(EventLogError) -> [UInt64] {
        let end = index.end
        if end > range.last { return try indexed(item, range, index) }
        let isAll = range.first >= end
        let left = PositionRange(first: max(range.first, end), last: range.last, backwards: range.backwards, limit: range.limit)
        if range.backwards {
            let newest = try scanned(.items([item]), left).map(\.rawValue)
            if isAll || newest.count >= range.limit { return newest }
            return try newest + indexed(item, range.part(through: end - 1, limit: range.limit - newest.count), index)
        }
        let oldest = isAll ? [] : try indexed(item, range.part(through: end - 1, limit: range.limit), index)
        if oldest.count >= range.limit { return oldest }
        let rest = PositionRange(first: left.first, last: left.last, backwards: false, limit: range.limit - oldest.count)
        return try oldest + scanned(.items([item]), rest).map(\.rawValue)
    }

    /// Among the positions that the index covers.
    private func indexed(_ item: QueryItem, _ range: PositionRange, _ index: TagIndex) throws(EventLogError) -> [UInt64] {
        guard let tag = try index.rarest(of: item) else { return [] }
        // The limit may bound memory's proposals only if each is a match, as for one tag, and the read goes backwards, as memory proposes.
        let limit = range.backwards && item.tags.count == 1 ? range.limit : .max
        let (memory, firstInMemory) = index.memoryPositions(tag, types: item.types, in: range, limit: limit)
        var found: [UInt64] = []
        if range.backwards {
            try check(memory, item, range.limit, &found)
            try page(tag, item, range, firstInMemory, index, &found)
        } else {
            try page(tag, item, range, firstInMemory, index, &found)
            try check(memory.reversed(), item, range.limit, &found)
        }
        return found
    }

    private func page(
        _ tag: Tag, _ item: QueryItem, _ range: PositionRange, _ firstInMemory: UInt64, _ index: TagIndex, _ found: inout [UInt64]
    ) throws(EventLogError) {
        var (first, last) = (range.first, min(range.last, firstInMemory - 1))
        var size = min(max(range.limit - found.count, 1), 64)
        while first <= last, found.count < range.limit {
            let part = PositionRange(first: first, last: last, backwards: range.backwards, limit: size)
            let proposals = try index.store.page(tag, types: item.types, in: part)
            try check(proposals, item, range.limit, &found)
            guard let end = proposals.last, proposals.count == size else { return }
            if range.backwards { last = end - 1 } else { first = end + 1 }
            size = min(size * 2, 4096)
        }
    }

    private func check(_ proposals: [UInt64], _ item: QueryItem, _ limit: Int, _ found: inout [UInt64]) throws(EventLogError) {
        if proposals.isEmpty { return }
        let environment = log.environment
        let snapshot = try environment.readable()
        for position in proposals where found.count < limit {
            if try matches(item, position, snapshot) { found.append(position) }
        }
    }

    private func matches(_ item: QueryItem, _ position: UInt64, _ snapshot: borrowing Snapshot) throws(EventLogError) -> Bool {
        if let bytes = unstored.record(at: position) { return item.matches(try LogStorage.checked(bytes, at: position)) }
        guard let bytes = try log.record(at: position, in: snapshot) else { throw LogStorage.gap(at: position) }
        return item.matches(try LogStorage.checked(bytes, at: position))
    }
}

extension PositionRange {
    fileprivate func part(through last: UInt64, limit: Int) -> PositionRange {
        PositionRange(first: first, last: min(self.last, last), backwards: backwards, limit: limit)
    }
}

extension IndexedSearch {
    /// A search of the index without a result usually allocates nothing.
    func last(of tag: Tag, type: EventType?, through head: Position) throws(EventLogError) -> Position? {
        if let index {
            let (proposed, end) = try index.newest(of: tag, type: type, through: head.rawValue)
            // Final only if the index covers every event through the head.
            if end > head.rawValue {
                guard let proposed else { return nil }
                if try hasTag(tag, type, at: proposed) { return Position(proposed) }
            }
        }
        // No index, an incomplete one, or a proposed record that does not match.
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

extension IndexedSearch {
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
