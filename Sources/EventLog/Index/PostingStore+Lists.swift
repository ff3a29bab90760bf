internal import LMDB

/// The lists of one tag in one run.
extension PostingStore {
    /// How many positions the lists have: the first piece of each says.
    func count(_ lists: TagLists, in run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> Int {
        let part = try part(of: lists.spread, in: run, snapshot)
        guard lists.mayBe(in: part) else { return 0 }
        var total = 0
        for type in try types(of: lists, in: part, run, snapshot) {
            let head = try head(of: lists, atLeast: type, in: part, run, snapshot)
            if let head, head.type == type { total += head.total }
        }
        return total
    }

    /// Appends the first positions of a range, in its order, of each list: as many of each as are missing to the range's limit.
    func collect(
        _ lists: TagLists, in part: borrowing RunPart, _ run: Run, _ range: PositionRange, _ snapshot: borrowing Snapshot,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        let missing = range.limit - found.count
        let wanted = Window(range, of: run)
        for type in try types(of: lists, in: part, run, snapshot) {
            let enough = found.count + min(missing, .max - found.count)
            let end = lists.key(type, range.backwards ? wanted.last + 1 : wanted.first + 1)
            let place = try place(before: end, in: part, run, snapshot)
            if range.backwards {
                try collectBackwards(lists.tag, type, from: place, run, wanted, enough, snapshot, &found)
            } else {
                let first = run.blocks > 0 ? Place(block: 0, entry: 0) : nil
                try collectForwards(lists.tag, type, from: place ?? first, run, wanted, enough, snapshot, &found)
            }
        }
    }

    /// A range within a run, counted from the run's first position.
    private struct Window {
        let first, last: UInt64

        init(_ range: PositionRange, of run: Run) {
            first = max(range.first, run.first) - run.first
            last = min(range.last, run.last) - run.first
        }
    }

    private func collectBackwards(
        _ tag: Tag, _ type: EventType, from start: Place?, _ run: Run, _ wanted: Window, _ enough: Int,
        _ snapshot: borrowing Snapshot, _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        while let here = place, found.count < enough {
            let piece = try piece(at: here, of: run, snapshot)
            guard piece.tag == tag, piece.type == type, piece.last >= wanted.first else { return }
            piece.collect(wanted.first, wanted.last, backwards: true, base: run.first, limit: enough, into: &found)
            place = try self.place(before: here, in: run, snapshot)
        }
    }

    private func collectForwards(
        _ tag: Tag, _ type: EventType, from start: Place?, _ run: Run, _ wanted: Window, _ enough: Int,
        _ snapshot: borrowing Snapshot, _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        // The search ends before the list where its first piece begins within the range.
        var mayBeBefore = true
        while let here = place, found.count < enough {
            let piece = try piece(at: here, of: run, snapshot)
            if piece.tag == tag, piece.type == type {
                guard piece.first <= wanted.last else { return }
                piece.collect(wanted.first, wanted.last, backwards: false, base: run.first, limit: enough, into: &found)
            } else if !mayBeBefore {
                return
            }
            mayBeBefore = false
            place = try self.place(after: here, in: run, snapshot)
        }
    }

    /// The types to look for: those named, else those that the tag has in the run.
    private func types(
        of lists: TagLists, in part: borrowing RunPart, _ run: Run, _ snapshot: borrowing Snapshot
    ) throws(EventLogError) -> [EventType] {
        if !lists.types.isEmpty { return lists.types }
        var types: [EventType] = []
        var next: UInt16? = 0
        while let least = next, let head = try head(of: lists, atLeast: EventType(least), in: part, run, snapshot) {
            types.append(head.type)
            next = head.type.rawValue == .max ? nil : head.type.rawValue + 1
        }
        return types
    }

    /// The type and length of the tag's first list of a type that is not less than one; nil when there is none.
    private func head(
        of lists: TagLists, atLeast type: EventType, in part: borrowing RunPart, _ run: Run, _ snapshot: borrowing Snapshot
    ) throws(EventLogError) -> (type: EventType, total: Int)? {
        var place = run.blocks > 0 ? Place(block: 0, entry: 0) : nil
        if let before = try self.place(before: lists.key(type, 0), in: part, run, snapshot) {
            place = try self.place(after: before, in: run, snapshot)
        }
        guard let place else { return nil }
        let piece = try piece(at: place, of: run, snapshot)
        guard piece.tag == lists.tag else { return nil }
        // Else somebody could go from type to type for ever.
        if piece.type < type { throw .brokenIndex("a block of run \(run.number) is out of order") }
        return (piece.type, Int(clamping: min(piece.total, run.count)))
    }
}
