internal import LMDB

/// Look-ups. Each takes one snapshot, in which manifest and runs belong together, and asks the runs in the order of the answer, so
/// that it can stop at the first ones.
extension PostingStore {
    /// How many stored events have a tag and, if any are named, one of the types; counting ends when there are more than `enough`.
    func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        do throws(EventLogError) {
            let environment = environment
            let snapshot = try environment.readable()
            let manifest = try manifest(in: snapshot)
            let lists = TagLists(tag, types)
            var total = 0
            var index = manifest.count
            while index > 0, total <= enough {
                index -= 1
                total += try count(lists, in: manifest.run(index), snapshot)
            }
            return total
        } catch { throw distrusted(error) }
    }

    /// The newest position through `last` of an event with a tag and, if given, a type. A miss allocates nothing.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> UInt64? {
        do throws(EventLogError) {
            let environment = environment
            let snapshot = try environment.readable()
            let manifest = try manifest(in: snapshot)
            let mask = FilterMask(tag.spread, type)
            var index = manifest.count
            while index > 0 {
                index -= 1
                let run = manifest.run(index)
                if run.first > last { continue }
                let part = try part(of: mask.spread, in: run, snapshot)
                guard part.mayHold(mask) else { continue }
                let range = PositionRange(first: run.first, last: min(last, run.last), backwards: true, limit: 1)
                var found: [UInt64] = []
                try collect(TagLists(tag, mask.spread, type), in: part, run, range, snapshot, &found)
                if let newest = found.max() { return newest }
            }
            return nil
        } catch { throw distrusted(error) }
    }

    /// The first `limit` positions of a range, in its order, of the events with a tag and, if any are named, one of the types.
    func page(_ tag: Tag, types: [EventType], in range: PositionRange) throws(EventLogError) -> [UInt64] {
        if range.isEmpty { return [] }
        do throws(EventLogError) {
            let environment = environment
            let snapshot = try environment.readable()
            let manifest = try manifest(in: snapshot)
            let lists = TagLists(tag, types)
            var found: [UInt64] = []
            for number in 0..<manifest.count where found.count < range.limit {
                let run = manifest.run(range.backwards ? manifest.count - 1 - number : number)
                if run.last < range.first || run.first > range.last { continue }
                let part = try part(of: lists.spread, in: run, snapshot)
                guard lists.mayBe(in: part) else { continue }
                let before = found.count
                try collect(lists, in: part, run, range, snapshot, &found)
                // Each list gave its own first ones, and the first of all are among those.
                if range.backwards { found[before...].sort(by: >) } else { found[before...].sort() }
                if found.count > range.limit { found.removeLast(found.count - range.limit) }
            }
            return found
        } catch { throw distrusted(error) }
    }
}
