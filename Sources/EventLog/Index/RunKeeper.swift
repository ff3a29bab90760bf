internal import LMDB

/// Manages the set of runs: adds flushed runs, merges the runs of a full level, and rebuilds damaged ones.
///
/// ## Why runs
/// In one tree of all keys, each flush would dirty one page for nearly every key: with 300 million keys, hundreds of megabytes for a few
/// thousand events. A log-structured merge (O'Neil, Cheng, Gawlick, O'Neil 1996) writes each posting sequentially, once when it is flushed
/// and once for each level that it rises. When a level has as many runs as the merge factor, they are merged into one run of the next
/// level. With the factor as base, an event costs log(events ÷ events of a flush) sequential writes: 3 or 4 at 100 million events. When
/// merges have caught up, a look-up reads at most factor − 1 runs per level. Filters (``FilterMask``) exclude nearly all runs without the
/// tag.
///
/// ## What a crash leaves
/// A run's file is written and flushed, then the file's name is flushed, and only then does a manifest name the file
/// (``RunStore/publish(_:_:nextNumber:)``). A crash before that leaves a file that no manifest names, which the next opening removes. The
/// file of a merged or damaged run is removed after a manifest without this run is on disk.
///
/// ## What a failure leaves
/// A call that throws leaves the runs that look-ups read unchanged, and can be repeated. A repeated call begins with a new file, because
/// the content of a file whose flush failed is unknown. A rebuild of a run may take long, so a repeated call writes only the unfinished
/// file again: finished pieces are kept until they are published, or one of them is found damaged.
///
/// Only one thread may use a keeper at a time: the index's flusher, and after the flusher's end the thread that closes the index.
///
/// ## Measurements
/// At 4 million events the index's thread takes 1.4 µs of processor time per event, where one tree took 3.4, and 64 MB of memory instead of
/// 700. A look-up of one event that is not in memory costs twice as much as in the tree (7 µs), and a query for two tags at once two to
/// three times as much (32 µs).
///
/// ## Repairs
/// A run without a usable file is repaired before any merge, because each look-up scans the part of the log that this run covers until the
/// run is repaired. If flushes wait for a merge, the merge precedes a long repair. A run that could not be opened because file descriptors
/// ran out is reopened, not rebuilt. A long run is rebuilt from pieces that are merged as soon as they are complete, so that few files are
/// open. If the log cannot be read where a run is damaged, the other damaged runs are rebuilt before that run is tried again. The rebuild
/// then continues where it stopped. So if the log is still unreadable there, the attempt fails at once, and the flusher's pause grows.
struct RunKeeper: Sendable {
    private struct Merging: Sendable {
        var merge: RunMerge
        var output: RunOutput
        let number: UInt32
    }

    private struct Repair: Sendable {
        let damaged: RunFile
        /// The next position to read for the rebuild of the damaged run.
        var next: UInt64
        /// The runs made so far, and how often each was merged. As soon as the last `factor` of them were merged equally often, they are
        /// merged into one, so that few files are open.
        var made: [(file: RunFile, merges: Int)] = []
        /// The current merge of the newest runs of ``made``.
        var merging: Merging?
    }

    private let store: RunStore
    /// The number of runs of one level that are merged into one run of the next level.
    private let factor: Int
    /// The maximum number of events from which one step rebuilds postings of a damaged run.
    private let repairedEvents: Int
    /// The runs from the oldest to the newest. No run has a higher level than an older run.
    private(set) var files: [RunFile]
    private var coverage: IndexCoverage
    /// The current merges, at most one per level.
    private var merges: [Merging] = []
    /// The current repair; nil if no repair has begun, or the last one is complete.
    private var repair: Repair?
    /// Unfinished repairs of other runs. They wait because the log could not be read, or because the current repair is more urgent.
    private var waiting: [Repair] = []
    /// The numbers of damaged runs whose events could not be read from the log. When no other damaged run is left, they are tried again.
    private var unreadable: Set<UInt32> = []
    /// The numbers of files that a manifest on disk may still name. These files are removed after the next manifest is on disk.
    private var garbage: [UInt32] = []
    private var nextNumber: UInt32
    /// The number of events that were read from the log to rebuild runs, including repeated attempts.
    private(set) var scannedEvents: UInt64 = 0

    /// Reads the stored state, and removes files that no manifest names.
    init(_ store: RunStore, factor: Int, repairedEvents: Int = LogLimits.indexFlushEvents) {
        (self.store, self.repairedEvents) = (store, max(1, repairedEvents))
        self.factor = max(2, factor)
        let list = store.list
        (files, coverage, nextNumber) = (list.runs, list.manifest.coverage, list.manifest.nextNumber)
        store.removeLeftovers()
    }

    /// The current runs, from the oldest to the newest.
    var runs: [Run] { files.map(\.run) }

    /// Stores all postings of a memory part as a new run, and extends the index's coverage to the end of this part.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    mutating func flush(_ part: MemoryPart, _ coverage: IndexCoverage) throws(EventLogError) {
        let file = try write(part, level: 0)
        try publish(files + [file], coverage, new: [file], old: [])
    }

    /// Whether merges lag so far behind that they should precede the next flush.
    ///
    /// Only runs of the lowest level matter: rebuilding a large run leaves many runs of a higher level, and flushes must not wait for
    /// those.
    var isCrowded: Bool { files.reversed().prefix { $0.run.level == 0 }.count >= 2 * factor }

    /// Does one bounded step of background work. It opens a run that could not be opened. If there is none, it rebuilds a damaged run, or
    /// else merges runs. Merges come last because look-ups scan the log for runs of the first two kinds. But if flushes wait for a merge,
    /// merging precedes a long repair.
    ///
    /// - Returns: false if there was nothing to do.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``, also for a run that was found damaged. The next call begins to rebuild that
    ///   run.
    mutating func step() throws(EventLogError) -> Bool {
        var failure: EventLogError?
        for index in files.indices where files[index].isClosed {
            do throws(EventLogError) {
                try reopen(index)
                return true
            } catch { failure = error }
        }
        // A run that can never be opened must not prevent that others are opened, repaired and merged.
        let hasWorked = try workStep()
        if let failure, !hasWorked { throw failure }
        return hasWorked
    }

    /// Does one step of rebuilding a damaged run, or else of merging runs.
    private mutating func workStep() throws(EventLogError) -> Bool {
        if store.log != nil, let damaged = nextDamaged() {
            try repairStep(damaged)
            return true
        }
        guard let level = crowdedLevel(atLeast: factor) else { return false }
        let index = try index(ofMergeAt: level)
        do throws(EventLogError) { try mergeStep(index) } catch {
            if let broken = merges[index].merge.broken { store.noteDamage(of: broken) }
            dropMerge(index)
            throw error
        }
        return true
    }

    /// The damaged run to repair now; nil if there is none, or if a merge should precede it.
    private mutating func nextDamaged() -> RunFile? {
        let damaged = files.filter(\.isDamaged)
        let lowest = damaged.filter { $0.run.level == 0 }
        // A merge would fail if one of its runs were damaged, so runs of the lowest level are repaired even if flushes wait for a merge.
        if isCrowded && lowest.isEmpty { return nil }
        let ordered = isCrowded ? lowest + damaged : damaged
        if let next = ordered.first(where: { !unreadable.contains($0.run.number) }) { return next }
        unreadable = []
        return ordered.first
    }

    /// Reopens a run that could not be opened because descriptors or memory ran out. Its file may be intact.
    private mutating func reopen(_ index: Int) throws(EventLogError) {
        let file = RunFile(files[index].run, in: store.directory)
        if let failure = file.openingFailure { throw EventLogError(failure) }
        files[index] = file
        store.replace(files)
    }

    /// The lowest level with at least `limit` runs; nil if there is none. The runs of the lowest level are the newest, and merging them
    /// takes the least time.
    private func crowdedLevel(atLeast limit: Int) -> UInt32? {
        var (level, count) = (UInt32(0), 0)
        for file in files.reversed() {
            if file.run.level != level { (level, count) = (file.run.level, 0) }
            count += 1
            if count >= limit { return level }
        }
        return nil
    }

    /// Writes a memory part as a run, which no reader sees yet.
    private mutating func write(_ part: MemoryPart, level: UInt32) throws(EventLogError) -> RunFile {
        let number = takeNumber()
        do throws(EventLogError) {
            var output = try RunOutput(store.path(of: number))
            var writer = RunWriter(number, first: part.first, tags: part.tagNodes.count)
            var positions: [UInt64] = []
            for ranked in part.tagsInRunOrder() {
                writer.add(ranked, of: part, &positions)
                if writer.finished.count >= RunWriter.valuesAtOnce { try output.append(writer.takeFinished()) }
            }
            let run = writer.finish(last: part.next - 1, level: level)
            try output.append(writer.takeFinished())
            return try opened(output.finish(run))
        } catch {
            store.remove(number)
            throw error
        }
    }

    /// Opens a run that has just been written. A run that cannot be read back, for whatever reason, must not be published.
    private func opened(_ run: Run) throws(EventLogError) -> RunFile {
        let file = RunFile(run, in: store.directory)
        _ = try file.blocks()
        return file
    }

    /// Publishes the new set of files, first on disk, and removes the files that they replace.
    private mutating func publish(
        _ files: [RunFile], _ coverage: IndexCoverage, new: [RunFile], old: [UInt32]
    ) throws(EventLogError) {
        do throws(EventLogError) { try store.publish(files, coverage, nextNumber: nextNumber) } catch {
            // The manifest on disk may already be the new one, which names the new files. So these files are removed only after a later
            // success.
            garbage += new.map(\.run.number)
            throw error
        }
        (self.files, self.coverage) = (files, coverage)
        for number in old + garbage { store.remove(number) }
        garbage = []
    }

    private mutating func takeNumber() -> UInt32 {
        defer { nextNumber += 1 }
        return nextNumber
    }
}

// Merging the runs of a full level
extension RunKeeper {
    /// The index in ``merges`` of the current merge of a level. Begins a merge of the level's oldest runs if there is none.
    private mutating func index(ofMergeAt level: UInt32) throws(EventLogError) -> Int {
        if let index = merges.firstIndex(where: { $0.merge.level == level }) { return index }
        let inputs = files.filter { $0.run.level == level }.prefix(factor)
        let number = takeNumber()
        let output = try RunOutput(store.path(of: number))
        merges.append(Merging(merge: RunMerge(Array(inputs), into: number), output: output, number: number))
        return merges.count - 1
    }

    private mutating func mergeStep(_ index: Int) throws(EventLogError) {
        let (values, run) = try merges[index].merge.step()
        try merges[index].output.append(values)
        guard let run else { return }
        let merged = merges[index].merge.inputs.map(\.run.number)
        let file = try opened(merges[index].output.finish(run))
        guard let at = files.firstIndex(where: { $0.run.number == merged[0] }) else { preconditionFailure("a merged run is gone") }
        var files = files
        files.replaceSubrange(at..<at + merged.count, with: [file])
        try publish(files, coverage, new: [file], old: merged)
        merges.remove(at: index)
    }

    private mutating func dropMerge(_ index: Int) {
        let number = merges.remove(at: index).number
        if !garbage.contains(number) { store.remove(number) }
    }
}

// Rebuilding damaged runs
extension RunKeeper {
    /// Rebuilds a piece of a damaged run from the log, or does one step of merging rebuilt pieces. After the last piece, the new runs
    /// replace the damaged one.
    ///
    /// The new runs have the damaged run's level and are merged like all other runs.
    private mutating func repairStep(_ damaged: RunFile) throws(EventLogError) {
        if repair?.damaged !== damaged { turn(to: damaged) }
        guard let log = store.log, let next = repair?.next else { return }
        if next > damaged.run.last { return try finishRepair() }
        do throws(EventLogError) { if try mergeMade() { return } } catch {
            dropMergeOfMade()
            throw error
        }
        let last = min(damaged.run.last, next + UInt64(repairedEvents) - 1)
        var part = MemoryPart(first: next)
        let kinds = IndexedKinds(coverage.kinds)
        do {
            while part.next <= last {
                let end = min(last, part.next + UInt64(LogLimits.indexReplayedAtOnce) - 1)
                try log.scan(from: part.next, through: end) { position, record in
                    part.insert(record, at: position.rawValue, kinds: kinds)
                    return true
                }
            }
            scannedEvents += last - next + 1
        } catch {
            unreadable.insert(damaged.run.number)
            throw EventLogError(any: error)
        }
        let file = try write(part, level: damaged.run.level)
        repair?.made.append((file, 0))
        repair?.next = last + 1
        if last == damaged.run.last { try finishRepair() }
    }

    /// Continues the repair of a damaged run, or begins it. The previous repair waits, and keeps the runs that it has made.
    private mutating func turn(to damaged: RunFile) {
        if let repair { waiting.append(repair) }
        if let index = waiting.firstIndex(where: { $0.damaged === damaged }) {
            repair = waiting.remove(at: index)
        } else {
            repair = Repair(damaged: damaged, next: damaged.run.first)
        }
    }

    /// Drops the current merge of the runs that this repair has made.
    ///
    /// If one of its input runs cannot be read, that run and all later runs of the repair are removed and rebuilt from the log. If the
    /// merge failed because descriptors, memory or disk space ran out, all runs are kept.
    private mutating func dropMergeOfMade() {
        guard let merging = repair?.merging else { return }
        repair?.merging = nil
        store.remove(merging.number)
        let made = repair?.made ?? []
        guard let broken = merging.merge.broken, let at = made.firstIndex(where: { $0.file === broken }) else { return }
        for dropped in made[at...] { store.remove(dropped.file.run.number) }
        repair?.made.removeSubrange(at...)
        repair?.next = broken.run.first
    }

    /// Does one step of merging the last `factor` rebuilt runs, if all of them have been merged equally often.
    ///
    /// - Returns: false if there is nothing to merge.
    private mutating func mergeMade() throws(EventLogError) -> Bool {
        guard let repair, let merges = repair.made.last?.merges else { return false }
        let inputs = repair.made.suffix(factor)
        guard inputs.count == factor, inputs.allSatisfy({ $0.merges == merges }) else { return false }
        if repair.merging == nil {
            let number = takeNumber()
            let merge = RunMerge(inputs.map(\.file), into: number, level: repair.damaged.run.level)
            self.repair?.merging = Merging(merge: merge, output: try RunOutput(store.path(of: number)), number: number)
        }
        guard let (values, run) = try self.repair?.merging?.merge.step() else { return false }
        try self.repair?.merging?.output.append(values)
        guard let run, let sealed = try self.repair?.merging?.output.finish(run) else { return true }
        let file = try opened(sealed)
        self.repair?.merging = nil
        self.repair?.made.removeLast(factor)
        self.repair?.made.append((file, merges + 1))
        for input in inputs { store.remove(input.file.run.number) }
        return true
    }

    private mutating func finishRepair() throws(EventLogError) {
        guard let repair else { return }
        let number = repair.damaged.run.number
        guard let at = files.firstIndex(where: { $0 === repair.damaged }) else { preconditionFailure("a damaged run is gone") }
        for index in merges.indices.reversed() where merges[index].merge.inputs.contains(where: { $0 === repair.damaged }) {
            dropMerge(index)
        }
        var files = files
        files.replaceSubrange(at...at, with: repair.made.map(\.file))
        // `new` is empty, so that a failed attempt does not mark the new runs as garbage. Their content is on disk already, so the next
        // attempt may name the same files. Until an attempt succeeds, no other code changes or removes these files.
        try publish(files, coverage, new: [], old: [number])
        self.repair = nil
    }
}
