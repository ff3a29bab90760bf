internal import Foundation
internal import LMDB
internal import Synchronization

/// The runs of one manifest. Each look-up holds one `RunList` until the look-up ends, so that the files of all its runs stay readable.
final class RunList: Sendable {
    let manifest: RunManifest
    /// The runs from the oldest to the newest.
    let runs: [RunFile]

    init(_ manifest: RunManifest, _ runs: [RunFile]) { (self.manifest, self.runs) = (manifest, runs) }

    /// The number of runs in the list that are damaged.
    var damaged: Int { runs.count { $0.isDamaged } }
}

/// The persistent part of the tag index: the runs that its manifest names, for look-ups from any thread.
///
/// If this store has a ``log`` and a look-up cannot read a run, the look-up instead scans the part of the log that the run covers. The
/// answer is the same, but takes longer. If the run is damaged, the store asks the flusher to rebuild it. ``RunKeeper`` decides what is
/// written and when.
final class RunStore: Sendable {
    let directory: String
    /// The log to scan in place of a damaged run; nil for a store that was opened for look-ups only. A look-up in such a store throws, and
    /// its caller scans the log.
    let log: LogStorage?
    /// The semaphore is signalled when there is work for the flusher.
    let wake = ThreadSemaphore()
    /// The number of runs found damaged since the opening, including rebuilt ones.
    let damages: Atomic<Int>
    /// The lock on the index; nil for a store that was opened for look-ups only.
    private let lock: FileLock?
    private let current: Mutex<RunList>

    private init(_ directory: String, _ list: RunList, log: LogStorage?, lock: FileLock?) {
        (self.directory, self.log, self.lock) = (directory, log, lock)
        current = Mutex(list)
        damages = Atomic(list.damaged)
    }

    /// Opens the index in a folder for writing, and creates the folder if it is missing.
    ///
    /// - Parameter isUsable: whether a manifest's coverage matches this log.
    /// - Throws: ``EventLogError/Code-swift.struct/storage`` if another process has the index open or the disk fails,
    ///   ``EventLogError/Code-swift.struct/io``, and errors of `isUsable`. Damage to the index causes no error.
    static func keep(
        _ directory: String, log: LogStorage?, _ isUsable: (IndexCoverage) throws(EventLogError) -> Bool
    ) throws(EventLogError) -> RunStore {
        try makeFolder(directory)
        let lock: FileLock
        do { lock = try FileLock(writerOf: directory) } catch { throw EventLogError(error) }
        let stored = RunManifest(in: directory)
        if let stored, try isUsable(stored.coverage) {
            let list = RunList(stored, stored.runs.map { RunFile($0, in: directory) })
            return RunStore(directory, list, log: log, lock: lock)
        }
        // The folder has no index of this log. A manifest without runs is published first, so that after a crash no manifest names files of
        // another index.
        let used = try files(in: directory).compactMap { RunFile.number(in: $0) }.max() ?? 0
        var empty = RunManifest()
        empty.nextNumber = max(used, (stored?.nextNumber ?? 1) - 1) + 1
        let store = RunStore(directory, RunList(empty, []), log: log, lock: lock)
        try store.publish([], empty.coverage, nextNumber: empty.nextNumber)
        return store
    }

    /// Opens an index for look-ups while another process may write it; nil if there is no readable manifest.
    ///
    /// The writing process may remove a run's file after this process has read the manifest and before it opens that file. In that case
    /// there is a newer manifest, which this method then reads instead.
    static func look(_ directory: String, _ access: BlockFile.Access = .mapped) -> RunStore? {
        var seen: RunManifest?
        while let manifest = RunManifest(in: directory) {
            let list = RunList(manifest, manifest.runs.map { RunFile($0, in: directory, access) })
            if list.damaged == 0 || seen == manifest { return RunStore(directory, list, log: nil, lock: nil) }
            seen = manifest
        }
        return nil
    }

    /// The runs of the current manifest.
    var list: RunList { current.withLock { $0 } }

    /// Publishes the runs that make up the index, first on disk and then in memory. The runs' files must be flushed already.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``. The manifest on disk is then either the old or the new one, and the files
    ///   that either of them names must be kept until a later call has succeeded.
    func publish(_ runs: [RunFile], _ coverage: IndexCoverage, nextNumber: UInt32) throws(EventLogError) {
        let manifest = RunManifest(coverage, runs.map(\.run), nextNumber: nextNumber)
        do throws(LMDBError) {
            // The names of new files are flushed first, so that after a power failure the manifest does not name a file whose name is not
            // on disk.
            try DurableNames.flush(directory)
            // A crash before this call leaves the old manifest. The next opening removes the new files, because the old manifest does not
            // name them.
            try DurableFile.replace(directory + "/" + RunManifest.name, with: manifest.bytes)
        } catch { throw EventLogError(error) }
        let list = RunList(manifest, runs)
        current.withLock { $0 = list }
    }

    /// Replaces the list of runs by a list of the same manifest in which files were reopened.
    func replace(_ runs: [RunFile]) { current.withLock { $0 = RunList($0.manifest, runs) } }

    /// Marks a run as damaged, and requests its rebuild.
    func noteDamage(of run: RunFile) {
        // A run whose file could not be opened may be intact. The flusher reopens it, and the run is marked only if reopening shows damage.
        guard !run.isClosed, run.markDamaged() else { return }
        damages.add(1, ordering: .relaxed)
        wake.signal()
    }

    /// Reads every run, and marks those with damaged blocks, which may be blocks that no look-up reads for years.
    func inspect() { for run in list.runs where !run.isDamaged && run.hasDamagedBlock { noteDamage(of: run) } }

    /// Recreates the folder if something outside this process removed it, and requests the rebuild of runs whose files are gone.
    ///
    /// Open runs can still be read. But no manifest may name a file that does not exist, or the next opening would find gaps in the index.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    func mendRemoved() throws(EventLogError) -> Bool {
        let isGone = FileKind(at: directory) == nil
        let removed = missing(of: list)
        guard isGone || !removed.isEmpty else { return false }
        try Self.makeFolder(directory)
        removed.forEach(noteDamage)
        return true
    }

    /// The runs of a list, read just before, whose files something outside this process removed.
    func missing(of read: RunList) -> [RunFile] {
        let missing = read.runs.filter { !$0.isDamaged && !$0.isClosed && FileKind(at: path(of: $0.run.number)) == nil }
        if missing.isEmpty { return [] }
        // A merge or a repair may have removed files since the list was read. It removes them only after their runs have left the list.
        let present = list.runs
        return missing.filter { run in present.contains { $0 === run } }
    }

    /// Removes a run's file. Look-ups that still use the run can finish, because they keep the file open. If the removal fails, the next
    /// opening removes the file.
    func remove(_ number: UInt32) { remove(RunFile.path(of: number, in: directory)) }

    private func remove(_ path: String) {
        if FileKind(at: path) == .regular { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The path of a run's file.
    func path(of number: UInt32) -> String { RunFile.path(of: number, in: directory) }

    /// Removes files that the manifest does not name, and the LMDB files of an older index format.
    func removeLeftovers() {
        let named = Set(list.runs.map(\.run.number))
        for name in (try? Self.files(in: directory)) ?? [] {
            let isLeftover = RunFile.number(in: name).map { !named.contains($0) } ?? Self.formerNames.contains(name)
            if isLeftover { remove(directory + "/" + name) }
        }
    }

    private static let formerNames: Set = ["data.mdb", "lock.mdb", "state"]

    private static func files(in directory: String) throws(EventLogError) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory) } catch {
            throw EventLogError(.io, "\(directory): \(FileFault(error)).")
        }
    }

    private static func makeFolder(_ directory: String) throws(EventLogError) {
        do { try DurableNames.makeFolder(directory) } catch { throw EventLogError(error) }
    }
}

/// Look-ups in the stored runs. Each look-up holds one list of runs, and reads the runs in ascending or descending order of positions, so
/// that it can stop as soon as it has found enough.
extension RunStore {
    /// The number of stored events with a tag and, if any types are given, one of the types. Counting stops above `enough`.
    func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        let (list, lists) = (self.list, TagLists(tag, types))
        var total = 0
        var index = list.runs.count
        while index > 0, total <= enough {
            index -= 1
            let run = list.runs[index]
            do throws(EventLogError) {
                total += try run.run.count(lists, run.blocks())
            } catch {
                let limit = enough == .max ? .max : enough + 1
                let range = PositionRange(first: run.run.first, last: run.run.last, backwards: true, limit: limit)
                total += try instead(of: run, error, lists, range).count
            }
        }
        return total
    }

    /// The newest position, up to and including `last`, of an event with a tag and, if given, a type; nil if there is none. A run that its
    /// filter excludes costs no allocation.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> UInt64? {
        let (list, mask) = (self.list, FilterMask(tag.spread, type))
        var index = list.runs.count
        while index > 0 {
            index -= 1
            let run = list.runs[index]
            if run.run.first > last { continue }
            if let newest = try newest(tag, type, mask, in: run, through: last) { return newest }
        }
        return nil
    }

    @inline(__always)
    private func newest(
        _ tag: Tag, _ type: EventType?, _ mask: borrowing FilterMask, in run: RunFile, through last: UInt64
    ) throws(EventLogError) -> UInt64? {
        do throws(EventLogError) {
            let file = try run.blocks()
            let part = try run.run.part(of: mask.spread, file)
            guard part.mayHold(mask) else { return nil }
            let range = PositionRange(first: run.run.first, last: min(last, run.run.last), backwards: true, limit: 1)
            var found: [UInt64] = []
            try run.run.collect(TagLists(tag, mask.spread, type), in: part, range, file, &found)
            return found.max()
        } catch {
            let range = PositionRange(first: run.run.first, last: min(last, run.run.last), backwards: true, limit: 1)
            return try instead(of: run, error, TagLists(tag, mask.spread, type), range).first
        }
    }

    /// The positions, within a range and in its order, of the events that have a tag and, if any types are given, one of the types. Returns
    /// at most as many positions as the range's limit.
    func page(_ tag: Tag, types: [EventType], in range: PositionRange) throws(EventLogError) -> [UInt64] {
        if range.isEmpty { return [] }
        let (list, lists) = (self.list, TagLists(tag, types))
        var found: [UInt64] = []
        for number in 0..<list.runs.count where found.count < range.limit {
            let run = list.runs[range.backwards ? list.runs.count - 1 - number : number]
            if run.run.last < range.first || run.run.first > range.last { continue }
            let before = found.count
            do throws(EventLogError) {
                let file = try run.blocks()
                let part = try run.run.part(of: lists.spread, file)
                guard lists.mayBe(in: part) else { continue }
                try run.run.collect(lists, in: part, range, file, &found)
            } catch {
                found.removeLast(found.count - before)
                found += try instead(of: run, error, lists, range.within(run.run, limit: range.limit - before))
            }
            // The run's first positions are now in `found`, list by list. They are sorted, and the positions beyond the limit are dropped.
            if range.backwards { found[before...].sort(by: >) } else { found[before...].sort() }
            if found.count > range.limit { found.removeLast(found.count - range.limit) }
        }
        return found
    }

    /// Scans the log in place of a damaged run, and requests the run's rebuild.
    ///
    /// - Throws: the error of the damaged run if this store has no ``log``; errors of reading the log.
    @inline(never)
    private func instead(
        of run: RunFile, _ error: EventLogError, _ lists: TagLists, _ range: PositionRange
    ) throws(EventLogError) -> [UInt64] {
        noteDamage(of: run)
        guard let log else { throw error }
        return try log.positions(of: lists, in: range)
    }
}

extension PositionRange {
    /// The intersection of this range with the positions that a run covers.
    fileprivate func within(_ run: Run, limit: Int) -> PositionRange {
        PositionRange(first: max(first, run.first), last: min(last, run.last), backwards: backwards, limit: limit)
    }
}

extension LogStorage {
    /// The positions that `lists` have in an intact index, within a range, in the range's order and up to the range's limit. Finds them by
    /// examining each event of the range.
    func positions(of lists: TagLists, in range: PositionRange) throws(EventLogError) -> [UInt64] {
        var found: [UInt64] = []
        if range.isEmpty { return found }
        let take = { (position: Position, record: borrowing Record) throws(EventLogError) -> Bool in
            if record.has(lists.tag), lists.types.isEmpty || lists.types.contains(record.type) { found.append(position.rawValue) }
            return found.count < range.limit
        }
        if range.backwards {
            try scanBackwards(from: range.first, through: range.last, take)
        } else {
            do { try scan(from: range.first, through: range.last, take) } catch { throw EventLogError(any: error) }
        }
        return found
    }
}
