internal import LMDB

extension PostingStore {
    /// How many stored events have a tag and, if any are named, one of the types.
    func count(of tag: Tag, types: [EventType]) throws(EventLogError) -> Int {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(postings)
            var total = 0
            for type in try keys(of: tag, types, &cursor) where try cursor.seek(exactly: IndexKey(tag, type).bytes.span) {
                total += try cursor.duplicateCount()
            }
            return total
        } catch { throw EventLogError(error) }
    }

    /// The newest position through `last` of an event with a tag and, if given, a type.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> UInt64? {
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            if let type {
                // The common miss: one descent and no cursor.
                guard try snapshot.get(postings, IndexKey(tag, type).bytes.span) != nil else { return nil }
            }
            var cursor = try snapshot.cursor(postings)
            var newest: UInt64?
            for type in try keys(of: tag, type.map { [$0] } ?? [], &cursor) {
                guard try cursor.seekLast(IndexKey(tag, type), through: last) else { continue }
                newest = max(newest ?? 0, cursor.posting)
            }
            return newest
        } catch { throw EventLogError(error) }
    }

    /// The first `limit` positions of a range, in its order, of the events with a tag and, if any are named, one of the types.
    func page(_ tag: Tag, types: [EventType], in range: PositionRange) throws(EventLogError) -> [UInt64] {
        if range.isEmpty { return [] }
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(postings)
            var found: [UInt64] = []
            let keys = try keys(of: tag, types, &cursor)
            for type in keys { try cursor.collect(IndexKey(tag, type), range, into: &found) }
            guard keys.count > 1 else { return found }
            // Each key gave its own first `limit`, and the first of all are among those.
            if range.backwards { found.sort(by: >) } else { found.sort() }
            return Array(found.prefix(range.limit))
        } catch { throw EventLogError(error) }
    }

    /// The types under which a tag is to be looked up: those named, else those that the index has.
    private func keys(of tag: Tag, _ types: [EventType], _ cursor: inout Cursor) throws(LMDBError) -> [EventType] {
        if types.count == 1 { return types }
        if !types.isEmpty { return Array(Set(types)) }
        var found: [EventType] = []
        var isThere = try cursor.seek(IndexKey(tag, EventType(0)).bytes.span)
        while isThere, let type = IndexKey.type(in: cursor.key, of: tag) {
            found.append(type)
            isThere = try cursor.nextKey()
        }
        return found
    }
}

extension Cursor {
    /// Moves to the greatest number through `last` under a key; false when there is none.
    mutating func seekLast(_ key: IndexKey, through last: UInt64) throws(LMDBError) -> Bool {
        guard try seek(exactly: key.bytes.span) else { return false }
        if posting > last { return false }
        _ = try lastDuplicate()
        if posting <= last { return true }
        // Not the last, but not before the first either: go to what follows `last`, and one back.
        _ = try seek(key.bytes.span, atLeast: last + 1)
        return try previousDuplicate()
    }

    /// Appends the first `limit` numbers of a range under a key, in the range's order.
    mutating func collect(_ key: IndexKey, _ range: PositionRange, into found: inout [UInt64]) throws(LMDBError) {
        var left = range.limit
        var isThere = try range.backwards ? seekLast(key, through: range.last) : seek(key.bytes.span, atLeast: range.first)
        while isThere, left > 0, range.contains(posting) {
            found.append(posting)
            left -= 1
            isThere = try range.backwards ? previousDuplicate() : nextDuplicate()
        }
    }
}
