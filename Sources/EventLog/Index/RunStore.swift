internal import Foundation
internal import LMDB
internal import Synchronization

/// The runs of one manifest. A look-up holds it to its end, so that all files stay readable.
final class RunList: Sendable {
    let manifest: RunManifest
    /// From the oldest to the newest.
    let runs: [RunFile]

    init(_ manifest: RunManifest, _ runs: [RunFile]) { (self.manifest, self.runs) = (manifest, runs) }

    var damaged: Int { runs.count { $0.isDamaged } }
}

/// The persistent part of the tag index: the runs that its manifest names, for look-ups from any thread.
///
/// If a look-up cannot read a run and there is a ``log``, it scans the log instead, for the same answer, and requests the rebuild of a
/// damaged run. ``RunKeeper`` decides what is written and when.
final class RunStore: Sendable {
    let directory: String
    /// Without it, a look-up of a damaged run throws.
    let log: LogStorage?
    let wake = ThreadSemaphore()
    /// Since the opening, with rebuilt ones.
    let damages: Atomic<Int>
    private let lock: FileLock?
    private let current: Mutex<RunList>

    private init(_ directory: String, _ list: RunList, log: LogStorage?, lock: FileLock?) {
        (self.directory, self.log, self.lock) = (directory, log, lock)
        current = Mutex(list)
        damages = Atomic(list.damaged)
    }

    /// Opens or creates the index in a folder for writing.
    ///
    /// - Parameter isUsable: whether a manifest's coverage matches this log.
    /// - Throws: ``EventLogError`` `.storage` if another process has the index open or the disk fails, `.io`, and errors of `isUsable`, but
    ///   none for damage.
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
        // Published first, so that after a crash no manifest names files of another index.
        let used = try files(in: directory).compactMap { RunFile.number(in: $0) }.max() ?? 0
        var empty = RunManifest()
        empty.nextNumber = max(used, (stored?.nextNumber ?? 1) - 1) + 1
        let store = RunStore(directory, RunList(empty, []), log: log, lock: lock)
        try store.publish([], empty.coverage, nextNumber: empty.nextNumber)
        return store
    }

    /// Nil without a readable manifest. If the writing process removes a file before it is opened here, there is a newer manifest, which is
    /// read instead.
    static func look(_ directory: String, _ access: BlockFile.Access = .mapped) -> RunStore? {
        var seen: RunManifest?
        while let manifest = RunManifest(in: directory) {
            let list = RunList(manifest, manifest.runs.map { RunFile($0, in: directory, access) })
            if list.damaged == 0 || seen == manifest { return RunStore(directory, list, log: nil, lock: nil) }
            seen = manifest
        }
        return nil
    }

    var list: RunList { current.withLock { $0 } }

    /// Publishes runs whose files are flushed, first on disk and then in memory.
    ///
    /// - Throws: ``EventLogError`` `.storage`. The manifest on disk is then old or new, and the files of both must be kept until a later
    ///   success.
    func publish(_ runs: [RunFile], _ coverage: IndexCoverage, nextNumber: UInt32) throws(EventLogError) {
        let manifest = RunManifest(coverage, runs.map(\.run), nextNumber: nextNumber)
        do throws(LMDBError) {
            // Names first: after a power failure the manifest must not name a file whose name is not on disk.
            try DurableNames.flush(directory)
            // A crash here leaves the old manifest, and the next opening removes the new files.
            try DurableFile.replace(directory + "/" + RunManifest.name, with: manifest.bytes)
        } catch { throw EventLogError(error) }
        let list = RunList(manifest, runs)
        current.withLock { $0 = list }
    }

    /// For reopened files of the same manifest.
    func replace(_ runs: [RunFile]) { current.withLock { $0 = RunList($0.manifest, runs) } }

    /// Requests a rebuild too.
    func noteDamage(of run: RunFile) {
        // A file that could not be opened may be intact: the flusher reopens it first.
        guard !run.isClosed, run.markDamaged() else { return }
        damages.add(1, ordering: .relaxed)
        wake.signal()
    }

    /// Blocks may be marked as damaged that no look-up may read for years.
    func inspect() { for run in list.runs where !run.isDamaged && run.hasDamagedBlock { noteDamage(of: run) } }

    /// Recreates the folder if something removed it, and requests the rebuild of runs whose files are gone: no manifest may name a missing
    /// file. Returns whether anything was missing.
    func mendRemoved() throws(EventLogError) -> Bool {
        let isGone = FileKind(at: directory) == nil
        let removed = missing(of: list)
        guard isGone || !removed.isEmpty else { return false }
        try Self.makeFolder(directory)
        removed.forEach(noteDamage)
        return true
    }

    func missing(of read: RunList) -> [RunFile] {
        let missing = read.runs.filter { !$0.isDamaged && !$0.isClosed && FileKind(at: path(of: $0.run.number)) == nil }
        if missing.isEmpty { return [] }
        // A merge or repair removes files only after their runs have left the list.
        let present = list.runs
        return missing.filter { run in present.contains { $0 === run } }
    }

    /// Look-ups keep the file open. If the removal fails, the next opening removes it.
    func remove(_ number: UInt32) { remove(RunFile.path(of: number, in: directory)) }

    private func remove(_ path: String) { if FileKind(at: path) == .regular { try? FileManager.default.removeItem(atPath: path) } }

    func path(of number: UInt32) -> String { RunFile.path(of: number, in: directory) }

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

extension RunStore {
    /// Stops above `enough`.
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

    /// A run that its filter excludes costs no allocation.
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
            guard try part.mayHold(mask) else { return nil }
            let range = PositionRange(first: run.run.first, last: min(last, run.run.last), backwards: true, limit: 1)
            var found: [UInt64] = []
            try run.run.collect(TagLists(tag, mask.spread, type), in: part, range, file, &found)
            return found.max()
        } catch {
            let range = PositionRange(first: run.run.first, last: min(last, run.run.last), backwards: true, limit: 1)
            return try instead(of: run, error, TagLists(tag, mask.spread, type), range).first
        }
    }

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
                guard try lists.mayBe(in: part) else { continue }
                try run.run.collect(lists, in: part, range, file, &found)
            } catch {
                found.removeLast(found.count - before)
                found += try instead(of: run, error, lists, range.within(run.run, limit: range.limit - before))
            }
            // The run's first positions are in `found`, list by list.
            if range.backwards { found[before...].sort(by: >) } else { found[before...].sort() }
            if found.count > range.limit { found.removeLast(found.count - range.limit) }
        }
        return found
    }

    /// Scans the log in place of a damaged run, and requests its rebuild.
    ///
    /// - Throws: the run's error if this store has no ``log``; errors of reading the log.
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
    fileprivate func within(_ run: Run, limit: Int) -> PositionRange {
        PositionRange(first: max(first, run.first), last: min(last, run.last), backwards: backwards, limit: limit)
    }
}

extension LogStorage {
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
