/// Manages the set of runs: adds flushed runs, merges the runs of a full level, and rebuilds damaged ones. Not thread-safe: the flusher
/// uses it, and afterwards the thread that closes the index.
///
/// ## Why runs In one tree of all keys, each flush would dirty a page for nearly every key. A log-structured merge (O'Neil, Cheng, Gawlick,
/// O'Neil 1996) writes each posting sequentially, once per level. When a level has as many runs as the merge factor, they become one run of
/// the next level. A look-up reads at most factor − 1 runs per level, and filters (``FilterMask``) exclude nearly all without the tag.
///
/// ## What a crash leaves A run's file is flushed, then its name, and only then does a manifest name it
/// (``RunStore/publish(_:_:nextNumber:)``). A crash before that leaves a file that the next opening removes. A merged or damaged run's file
/// is removed after a manifest without it is on disk.
///
/// It begins with a new file, because the content of a file whose flush failed is unknown. Finished pieces of a rebuild are kept until they
/// are published or found damaged.
///
/// ## Repairs Repairs come before merges, because look-ups scan the log meanwhile; but if flushes wait for a merge, it precedes a long
/// repair. A run that could not be opened for lack of descriptors is reopened, not rebuilt. Rebuilt pieces are merged at once, so that few
/// files are open. If the log cannot be read where a run is damaged, the other runs come first, and the rebuild later continues where it
/// stopped.
struct RunKeeper: Sendable {
    private struct Merging: Sendable {
        var merge: RunMerge
        var output: RunOutput
        let number: UInt32
    }

    private struct Repair: Sendable {
        let damaged: RunFile
        /// The next position to read.
        var next: UInt64
        /// When the last `factor` were merged equally often, they are merged into one, so that few files are open.
        var made: [(file: RunFile, merges: Int)] = []
        var merging: Merging?
    }

    private let store: RunStore
    private let factor: Int
    /// Events per step of a rebuild.
    private let repairedEvents: Int
    /// From the oldest to the newest, with levels that never rise.
    private(set) var files: [RunFile]
    private var coverage: IndexCoverage
    /// At most one per level.
    private var merges: [Merging] = []
    private var repair: Repair?
    /// The log could not be read, or the current repair is more urgent.
    private var waiting: [Repair] = []
    /// Their events could not be read from the log; tried again when no other is left.
    private var unreadable: Set<UInt32> = []
    /// A manifest on disk may name these files until the next one is on disk.
    private var garbage: [UInt32] = []
    private var nextNumber: UInt32
    /// Read to rebuild runs, with repeated attempts.
    private(set) var scannedEvents: UInt64 = 0

    /// Removes files that no manifest names.
    init(_ store: RunStore, factor: Int, repairedEvents: Int = LogLimits.indexFlushEvents) {
        (self.store, self.repairedEvents) = (store, max(1, repairedEvents))
        self.factor = max(2, factor)
        let list = store.list
        (files, coverage, nextNumber) = (list.runs, list.manifest.coverage, list.manifest.nextNumber)
        store.removeLeftovers()
    }

    var runs: [Run] { files.map(\.run) }

    mutating func flush(_ part: MemoryPart, _ coverage: IndexCoverage) throws(EventLogError) {
        let file = try write(part, level: 0)
        try publish(files + [file], coverage, new: [file], old: [])
    }

    /// A large rebuild leaves many runs of a higher level, for which flushes must not wait.
    var isCrowded: Bool { files.reversed().prefix { $0.run.level == 0 }.count >= 2 * factor }

    /// False if there was nothing to do.
    mutating func step() throws(EventLogError) -> Bool {
        var failure: EventLogError?
        for index in files.indices where files[index].isClosed {
            do throws(EventLogError) {
                try reopen(index)
                return true
            } catch { failure = error }
        }
        // A run that can never be opened must not prevent the work on others.
        let hasWorked = try workStep()
        if let failure, !hasWorked { throw failure }
        return hasWorked
    }

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

    private mutating func nextDamaged() -> RunFile? {
        let damaged = files.filter(\.isDamaged)
        let lowest = damaged.filter { $0.run.level == 0 }
        // A merge would fail with a damaged input, so the lowest level is repaired even if flushes wait for a merge.
        if isCrowded && lowest.isEmpty { return nil }
        let ordered = isCrowded ? lowest + damaged : damaged
        if let next = ordered.first(where: { !unreadable.contains($0.run.number) }) { return next }
        unreadable = []
        return ordered.first
    }

    /// Descriptors or memory had run out, so the file may be intact.
    private mutating func reopen(_ index: Int) throws(EventLogError) {
        let file = RunFile(files[index].run, in: store.directory)
        if let failure = file.openingFailure { throw EventLogError(failure) }
        files[index] = file
        store.replace(files)
    }

    /// Its runs are the newest, and cheapest to merge.
    private func crowdedLevel(atLeast limit: Int) -> UInt32? {
        var (level, count) = (UInt32(0), 0)
        for file in files.reversed() {
            if file.run.level != level { (level, count) = (file.run.level, 0) }
            count += 1
            if count >= limit { return level }
        }
        return nil
    }

    /// No reader sees the run yet.
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

    /// A run that cannot be read back must not be published.
    private func opened(_ run: Run) throws(EventLogError) -> RunFile {
        let file = RunFile(run, in: store.directory)
        _ = try file.blocks()
        return file
    }

    /// Publishes first on disk, then removes the replaced files.
    private mutating func publish(_ files: [RunFile], _ coverage: IndexCoverage, new: [RunFile], old: [UInt32]) throws(EventLogError) {
        do throws(EventLogError) { try store.publish(files, coverage, nextNumber: nextNumber) } catch {
            // The manifest on disk may already name the new files, so they are removed only after a later success.
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

    private mutating func turn(to damaged: RunFile) {
        if let repair { waiting.append(repair) }
        if let index = waiting.firstIndex(where: { $0.damaged === damaged }) {
            repair = waiting.remove(at: index)
        } else {
            repair = Repair(damaged: damaged, next: damaged.run.first)
        }
    }

    /// If an input cannot be read, it and all later runs of the repair are rebuilt from the log. If descriptors, memory or disk space ran
    /// out, all are kept.
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

    /// False if there is nothing to merge.
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
        // `new` is empty, so that a failed attempt does not make the new runs garbage: their content is on disk, and the next attempt may
        // name them.
        try publish(files, coverage, new: [], old: [number])
        self.repair = nil
    }
}
