internal import LMDB

/// The lists of one tag in one run.
extension PostingStore {
    /// How many positions the lists have: the first piece of each says.
    func count(_ lists: TagLists, in run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> Int {
        let part = try part(of: lists.spread, in: run, snapshot)
        guard lists.mayBe(in: part) else { return 0 }
        var total: UInt64 = 0
        if lists.types.isEmpty {
            var next = try head(of: lists, EventType(0), in: part, run, snapshot)
            while let head = next {
                total += head.total
                next = try self.head(after: head, of: lists, in: part, run, snapshot)
            }
        }
        for type in lists.types {
            if let head = try head(of: lists, type, in: part, run, snapshot), head.type == type { total += head.total }
        }
        return Int(clamping: total)
    }

    /// Appends the first positions of a range, in its order, of each list: as many of each as are missing to the range's limit.
    func collect(
        _ lists: TagLists, in part: borrowing RunPart, _ run: Run, _ range: PositionRange, _ snapshot: borrowing Snapshot,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        let window = RunWindow(range, of: run, limit: range.limit - found.count)
        for type in lists.types { try collect(lists, type, in: part, window, snapshot, &found) }
        if !lists.types.isEmpty { return }
        var next = try head(of: lists, EventType(0), in: part, run, snapshot)
        while let head = next {
            if head.isWhole {
                let enough = window.end(from: found.count)
                try piece(at: head.place, of: run, snapshot).collect(window, limit: enough, into: &found)
            } else {
                try collect(lists, head.type, in: part, window, snapshot, &found)
            }
            next = try self.head(after: head, of: lists, in: part, run, snapshot)
        }
    }

    private func collect(
        _ lists: TagLists, _ type: EventType, in part: borrowing RunPart, _ window: RunWindow, _ snapshot: borrowing Snapshot,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        let run = window.run
        let end = lists.key(type, window.backwards ? window.last + 1 : window.first + 1)
        let before = try place(before: end, in: part, run, snapshot)
        if window.backwards { return try collectBackwards(lists.tag, type, from: before, window, snapshot, &found) }
        try collectForwards(lists.tag, type, from: before ?? run.firstPlace, window, snapshot, &found)
    }

    private func collectBackwards(
        _ tag: Tag, _ type: EventType, from start: RunPlace?, _ window: RunWindow, _ snapshot: borrowing Snapshot,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        let enough = window.end(from: found.count)
        while let here = place {
            let piece = try piece(at: here, of: window.run, snapshot)
            guard piece.tag == tag, piece.type == type, piece.last >= window.first else { return }
            piece.collect(window, limit: enough, into: &found)
            if found.count >= enough { return }
            place = try self.place(before: here, in: window.run, snapshot)
        }
    }

    private func collectForwards(
        _ tag: Tag, _ type: EventType, from start: RunPlace?, _ window: RunWindow, _ snapshot: borrowing Snapshot,
        _ found: inout [UInt64]
    ) throws(EventLogError) {
        var place = start
        let enough = window.end(from: found.count)
        // The search ends before the list where its first piece begins within the range.
        var mayBeBefore = true
        while let here = place, found.count < enough {
            let piece = try piece(at: here, of: window.run, snapshot)
            if piece.tag == tag, piece.type == type {
                guard piece.first <= window.last else { return }
                piece.collect(window, limit: enough, into: &found)
            } else if !mayBeBefore {
                return
            }
            mayBeBefore = false
            place = try self.place(after: here, in: window.run, snapshot)
        }
    }
}
