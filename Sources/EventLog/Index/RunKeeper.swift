internal import LMDB

/// Decides which runs there are: adds those that are flushed, merges those that have become many, and clears away what is left over.
///
/// ## Why runs
/// One tree of all keys would have each flush dirty one page for nearly every key, wherever it falls: with 300 million keys, hundreds
/// of megabytes for a few thousand events. A log-structured merge (O'Neil, Cheng, Gawlick, O'Neil 1996) writes each posting
/// in sequence once when it is flushed and once for each level that it rises. A level holds at most a factor of runs; so many of
/// them are merged to one of the next level. An event then costs log(events ÷ events of a flush) to the base of the factor
/// sequential writes, 3 or 4 at 100 million events, and a look-up asks at most factor − 1 runs a level, of which the filters
/// (``FilterMask``) answer for nearly all that hold nothing.
///
/// ## What a crash leaves
/// A run's values are stored in several transactions and nobody sees them; the last one names the run in the manifest and, of
/// a flush, moves the coverage. A process that ends before leaves values that no manifest names, which the next opening clears
/// away. What was merged is taken out of the manifest in the same transaction and deleted later, some values at a time, for to free
/// a gigabyte's pages at once is a long transaction.
///
/// It belongs to one thread at a time: the index's flusher.
struct RunKeeper: Sendable {
    /// Values deleted in one transaction.
    private static let deletedAtOnce = 512

    private let store: PostingStore
    /// Runs of one level that are merged to one of the next.
    private let factor: Int
    /// The oldest first; levels never ascend.
    private(set) var runs: [Run]
    /// At most one a level.
    private var merges: [RunMerge] = []
    /// Runs that no manifest names, with values still to be deleted.
    private var garbage: [UInt32]
    private var nextNumber: UInt32

    /// Takes stock of what is stored.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    init(_ store: PostingStore, factor: Int) throws(EventLogError) {
        self.store = store
        self.factor = max(2, factor)
        runs = try store.runs()
        let numbers = try store.runNumbers()
        let named = Set(runs.map(\.number))
        garbage = numbers.filter { !named.contains($0) }
        nextNumber = (numbers.last ?? 0) + 1
    }

    /// Stores all postings of a part as a new run, and moves the coverage to its end.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``; the index is as it was before.
    mutating func flush(_ part: MemoryPart, _ coverage: IndexMeta) throws(EventLogError) {
        var writer = RunWriter(takeNumber(), first: part.first, tags: part.tagNodes.count)
        var positions: [UInt64] = []
        for ranked in part.tagsInRunOrder() {
            writer.add(ranked, of: part, &positions)
            if writer.finished.count >= PostingStore.valuesAtOnce { try store.put(writer.takeFinished()) }
        }
        let run = writer.finish(last: part.next - 1, level: 0)
        try store.put(writer.takeFinished(), runs: runs + [run], coverage)
        runs.append(run)
    }

    /// Whether merging lags so much that it should go before the next flush.
    var isCrowded: Bool { crowdedLevel(atLeast: 2 * factor) != nil }

    /// Does a bounded piece of whatever is to be done in the background.
    ///
    /// - Returns: false when there was nothing to do.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``, also for a broken index.
    mutating func step() throws(EventLogError) -> Bool {
        if let number = garbage.last {
            if try store.delete(run: number, atMost: Self.deletedAtOnce) { garbage.removeLast() }
            return true
        }
        guard let level = crowdedLevel(atLeast: factor) else { return false }
        try mergeStep(index(ofMergeAt: level))
        return true
    }

    /// The level with the most runs, if it has so many; of several the lowest, whose merge is the shortest.
    private func crowdedLevel(atLeast limit: Int) -> UInt32? {
        var best: (level: UInt32, count: Int)?
        var (level, count) = (UInt32(0), 0)
        for run in runs.reversed() {
            if run.level != level { (level, count) = (run.level, 0) }
            count += 1
            if count >= limit, count > best?.count ?? 0 { best = (level, count) }
        }
        return best?.level
    }

    /// The merge that goes on at a level, or a new one of its oldest runs.
    private mutating func index(ofMergeAt level: UInt32) -> Int {
        if let index = merges.firstIndex(where: { $0.level == level }) { return index }
        let inputs = runs.filter { $0.level == level }.prefix(factor)
        merges.append(RunMerge(Array(inputs), into: takeNumber()))
        return merges.count - 1
    }

    private mutating func mergeStep(_ index: Int) throws(EventLogError) {
        let (values, run) = try merges[index].step(store)
        guard let run else { return try store.put(values) }
        let merged = merges[index].inputs.map(\.number)
        var runs = runs
        guard let at = runs.firstIndex(where: { $0.number == merged[0] }) else { preconditionFailure("a merged run is gone") }
        runs.replaceSubrange(at..<at + merged.count, with: [run])
        try store.put(values, runs: runs)
        self.runs = runs
        garbage += merged
        merges.remove(at: index)
    }

    private mutating func takeNumber() -> UInt32 {
        defer { nextNumber += 1 }
        return nextNumber
    }
}
