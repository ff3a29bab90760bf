internal import LMDB

/// From place to place in a run.
extension PostingStore {
    /// The last entry of a run before a key; nil when there is none.
    func place(before key: PostingKey, in part: borrowing RunPart, _ run: Run, _ snapshot: borrowing Snapshot)
        throws(EventLogError) -> RunPlace?
    {
        guard let block = part.block(before: key) else { return nil }
        let count = try self.block(block, of: run, snapshot).count(before: key)
        if count == 0 { throw .brokenIndex("the directory of run \(run.number)") }
        return RunPlace(block: block, entry: count - 1)
    }

    /// The place that follows; nil at the end.
    func place(after place: RunPlace, in run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> RunPlace? {
        let count = try block(place.block, of: run, snapshot).count
        if place.entry < count - 1 { return RunPlace(block: place.block, entry: place.entry + 1) }
        return place.block + 1 < run.blocks ? RunPlace(block: place.block + 1, entry: 0) : nil
    }

    /// The place before; nil at the beginning.
    func place(before place: RunPlace, in run: Run, _ snapshot: borrowing Snapshot) throws(EventLogError) -> RunPlace? {
        if place.entry == 0 { return place.block == 0 ? nil : RunPlace(block: place.block - 1, entry: .max) }
        let count = try block(place.block, of: run, snapshot).count
        return RunPlace(block: place.block, entry: min(place.entry, count - 1) - 1)
    }
}
