internal import LMDB

/// Decides which runs there are: adds flushed ones, merges runs of a full level, and rebuilds damaged ones.
///
/// ## Why runs
/// In one tree of all keys, each flush would dirty one page for nearly every key: with 300 million keys, hundreds of megabytes for a few
/// thousand events. A log-structured merge (O'Neil, Cheng, Gawlick, O'Neil 1996) writes each posting in sequence once when it is flushed
/// and once for each level that it rises. A level holds at most a factor of runs, which are then merged to one of the next level. An event
/// costs log(events ÷ events of a flush) to the base of the factor sequential writes, 3 or 4 at 100 million events. A look-up asks at most
/// factor − 1 runs a level, and filters (``FilterMask``) answer for nearly all runs without the tag.
///
/// ## What a crash leaves
/// A run's file is written and flushed, then its name, and only then a manifest names it (``RunStore/publish(_:_:nextNumber:)``). A crash
/// before leaves a file that no manifest names, which the next opening removes. A merged or damaged run loses its name after the manifest
/// that no longer names it is on disk.
///
/// ## What a failure leaves
/// A call that throws leaves the index as it was, and can be repeated. It begins with a new file, because the content of a file whose flush
/// failed is unknown. A rebuild of a run, which may take long, writes only that file again: finished parts stay until they are named, or
/// one of them is found damaged.
///
/// It belongs to one thread at a time: the index's flusher.
///
/// In one tree nearly every key dirties a page, so a flush costs more the longer the log is. A flush writes one run in sequence, and eight
/// runs of a level become one of the next. A filter of one cache line says that a run lacks a tag. At 4 million events the index's thread
/// takes 1.4 µs of processor time an event against the tree's 3.4, and 64 MB of memory against 700. A look-up of one event that is not in
/// memory costs twice as much as in the tree (7 µs), and an AND of two tags two to three times (32 µs).
///
/// A run without a usable file is repaired before any merge, because each look-up scans its part of the log until then. A run that could
/// not be opened for lack of descriptors is opened again, not rebuilt. A long run is rebuilt from parts that are merged as they come, so
/// that few files are open.
struct RunKeeper: Sendable {
    private struct Merging: Sendable {
        var merge: RunMerge
        var output: RunOutput
        let number: UInt32
    }

    private struct Repair: Sendable {
        let damaged: RunFile
        /// The rebuild of the damaged run has reached this position.
        var next: UInt64
        /// The runs made so far, and how many times each was merged: a factor of as many become one, so that few files are open.
        var made: [(file: RunFile, merges: Int)] = []
        /// The merge of the last of them.
        var merging: Merging?
        /// A manifest on disk may name the runs made: one that was to name them was not written without an error.
        var mayBeNamed = false
    }

    private let store: RunStore
    /// Runs of one level that are merged to one of the next.
    private let factor: Int
    /// Events of a run that one step rebuilds.
    private let repairedEvents: Int
    /// The oldest first; levels never ascend.
    private(set) var files: [RunFile]
    private var coverage: IndexCoverage
    /// The running merges, at most one a level.
    private var merges: [Merging] = []
    private var repair: Repair?
    /// Files that a manifest may still name, to be removed when another one is on disk.
    private var garbage: [UInt32] = []
    private var nextNumber: UInt32
    /// Events read from the log to rebuild runs, including repeated attempts.
    private(set) var scannedEvents: UInt64 = 0

    /// Takes stock of what is stored, and removes what no manifest names.
    init(_ store: RunStore, factor: Int, repairedEvents: Int = LogLimits.indexFlushEvents) {
        (self.store, self.repairedEvents) = (store, max(1, repairedEvents))
        self.factor = max(2, factor)
        let list = store.list
        (files, coverage, nextNumber) = (list.runs, list.manifest.coverage, list.manifest.nextNumber)
        store.removeLeftovers()
    }

    /// The runs there are, the oldest first.
    var runs: [Run] { files.map(\.run) }

    /// Stores all postings of a part as a new run, and moves the coverage to its end.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    mutating func flush(_ part: MemoryPart, _ coverage: IndexCoverage) throws(EventLogError) {
        let file = try write(part, level: 0)
        try publish(files + [file], coverage, new: [file], old: [])
    }

    /// Whether merges lag so much that they should go before the next flush.
    ///
    /// Only the lowest level counts: a large rebuilt run leaves many of a higher one, and flushes must not wait for those.
    var isCrowded: Bool { files.reversed().prefix { $0.run.level == 0 }.count >= 2 * factor }

    /// Does one bounded step of background work: first opens a run that could not be opened, then rebuilds a damaged one, since look-ups
    /// scan the log for both, and then merges runs. Merging goes before a long repair if flushes wait for it.
    ///
    /// - Returns: false when there was nothing to do.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``, also for a run that turned out damaged, which the next call begins to
    ///   rebuild.
    mutating func step() throws(EventLogError) -> Bool {
        guard let closed = files.firstIndex(where: \.isClosed) else { return try workStep() }
        do throws(EventLogError) { try reopen(closed) } catch {
            // One that never opens must not keep all others from being mended and merged.
            guard try workStep() else { throw error }
        }
        return true
    }

    /// Rebuilds a damaged run, or merges.
    private mutating func workStep() throws(EventLogError) -> Bool {
        let isCrowded = isCrowded
        if let damaged = files.first(where: { $0.isDamaged && (!isCrowded || $0.run.level == 0) }), store.log != nil {
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

    /// Retries opening a run that could not be opened for want of descriptors or memory. Its file may be whole.
    private mutating func reopen(_ index: Int) throws(EventLogError) {
        let file = RunFile(files[index].run, in: store.directory)
        if let failure = file.openingFailure { throw EventLogError(failure) }
        files[index] = file
        store.replace(files)
    }

    /// The lowest level that has so many runs: what was flushed is merged first, and its merge is the shortest.
    private func crowdedLevel(atLeast limit: Int) -> UInt32? {
        var (level, count) = (UInt32(0), 0)
        for file in files.reversed() {
            if file.run.level != level { (level, count) = (file.run.level, 0) }
            count += 1
            if count >= limit { return level }
        }
        return nil
    }

    /// Writes a part as a run of its own, which no reader sees yet.
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

    /// Opens a run that has just been written: one that cannot be read back, for want of descriptors or worse, is not to be named.
    private func opened(_ run: Run) throws(EventLogError) -> RunFile {
        let file = RunFile(run, in: store.directory)
        _ = try file.blocks()
        return file
    }

    /// Makes files the index, on disk first, and removes the ones that they replace.
    private mutating func publish(
        _ files: [RunFile], _ coverage: IndexCoverage, new: [RunFile], old: [UInt32]
    ) throws(EventLogError) {
        do throws(EventLogError) { try store.publish(files, coverage, nextNumber: nextNumber) } catch {
            // The manifest on disk may be the new one.
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

// Merging
extension RunKeeper {
    /// The running merge of a level, or a new one of its oldest runs.
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
    /// Rebuilds a part of a damaged run from the log. With the last part, the new runs take the damaged one's place.
    ///
    /// The new runs have the damaged one's level and are merged like any others.
    private mutating func repairStep(_ damaged: RunFile) throws(EventLogError) {
        if repair?.damaged !== damaged { beginRepair(of: damaged) }
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
        } catch { throw EventLogError(any: error) }
        let file = try write(part, level: damaged.run.level)
        repair?.made.append((file, 0))
        repair?.next = last + 1
        if last == damaged.run.last { try finishRepair() }
    }

    private mutating func beginRepair(of damaged: RunFile) {
        dropRepair()
        repair = Repair(damaged: damaged, next: damaged.run.first)
    }

    /// Forgets what was made so far, which no manifest names.
    private mutating func dropRepair() {
        let made = repair?.made.map(\.file.run.number) ?? []
        if repair?.mayBeNamed == true { garbage += made } else { for number in made { store.remove(number) } }
        if let number = repair?.merging?.number { store.remove(number) }
        repair = nil
    }

    /// Drops the current merge of the runs that this repair has made.
    ///
    /// If one of its inputs cannot be read, that run and all later ones are removed, and are made again from the log. If the merge failed
    /// for lack of descriptors, memory or disk space, all runs stay.
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

    /// Merges a little of the last runs that were made, where there are a factor of them that were merged equally often.
    ///
    /// - Returns: false when there is nothing to merge.
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
        // Their content is flushed, so another manifest may name the same files if this one fails.
        do throws(EventLogError) { try publish(files, coverage, new: [], old: [number]) } catch {
            self.repair?.mayBeNamed = true
            throw error
        }
        self.repair = nil
    }
}
