internal import Synchronization

extension TagIndex {
    /// Counts at which counting first ends, and how much further it goes each time when all tags have more.
    private static let (fewEvents, moreEvents) = (64, 64)

    /// A tag of an item that few events have, compared with its others; nil when there is one that none has.
    ///
    /// It only decides which list is walked: counting goes no further than it takes to tell a rare tag from the others.
    func rarest(of item: QueryItem) throws(EventLogError) -> Tag? {
        guard item.tags.count > 1 else { return item.tags.first }
        var enough = Self.fewEvents
        while true {
            var rarest: (tag: Tag, count: Int)?
            for tag in item.tags {
                let count = try count(of: tag, types: item.types, enough: enough)
                if count == 0 { return nil }
                if count < rarest?.count ?? .max { rarest = (tag, count) }
            }
            guard let rarest, rarest.count > enough else { return rarest?.tag }
            enough *= Self.moreEvents
        }
    }

    /// How many events have a tag and, if any are named, one of the types; counting ends when there are more than `enough`.
    ///
    /// Memory is counted first: what is flushed between the two counts is counted twice, and nothing is left out.
    private func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        let inMemory = withMemory { frozen, active, _ in
            (frozen?.count(of: tag, types: types) ?? 0) + active.count(of: tag, types: types)
        }
        return inMemory > enough ? inMemory : try inMemory + store.count(of: tag, types: types, enough: enough - inMemory)
    }

    /// The positions in memory, newest first and at least the newest `limit`, and the first position that memory covers.
    func memoryPositions(
        _ tag: Tag, types: [EventType], in range: PositionRange, limit: Int
    ) -> (positions: [UInt64], first: UInt64) {
        withMemory { frozen, active, first in
            var found: [UInt64] = []
            active.collect(tag, types: types, in: range, limit: limit, into: &found)
            if found.count < limit { frozen?.collect(tag, types: types, in: range, limit: limit, into: &found) }
            return (found, first)
        }
    }

    /// The newest position through `last` of an event with a tag and, if given, a type, among those before `end`: what lies behind it was
    /// left out.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> (found: UInt64?, end: UInt64) {
        let (found, first, end) = state.withLock { state in
            let found = state.active.newest(of: tag, type: type, through: last)
            return (found ?? state.frozen?.newest(of: tag, type: type, through: last), state.first, state.active.next)
        }
        if let found { return (found, end) }
        return (try store.newest(of: tag, type: type, through: min(last, first - 1)), end)
    }
}
