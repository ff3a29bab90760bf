internal import Dispatch
internal import Foundation
internal import LMDB
internal import Merkle
internal import Synchronization

/// Finds events by their tags, with the newest part in memory and the rest in sorted runs on disk.
///
/// The writer adds each staged event before its commit, so a reader ignores positions beyond its head. A full memory part is frozen, stored
/// as a run once the log has all of its events, and then dropped; the same thread merges and rebuilds runs (``RunKeeper``). A look-up reads
/// memory first and then the runs before it, so that it misses and repeats nothing; only a count may count a part twice.
///
/// While runs cannot be stored, memory accepts events up to a limit. Look-ups scan the log for later ones, which are indexed afterwards.
///
/// The key is tag and type together, so that one look-up finds a campaign's two lifecycle events among its million stamps.
///
/// The index is not part of the log's commit. With three random keys for each event, a commit of 1,024 events made 55,000 events a second
/// durable; without keys, 1.4 million (2026-11-21). Each random key dirties a page.
final class TagIndex: Sendable {
    let store: RunStore
    let kinds: IndexedKinds
    let log: LogStorage
    let head: HeadSignal
    let created: Timestamp
    private let replayed: UInt64
    /// In events of the active part.
    private let flushEvents, stallEvents, memoryEvents: Int
    let retryMilliseconds: Int
    let state: Mutex<State>
    /// For the flusher, and after its end for the closing thread, so the lock is never contended.
    let keeper: Mutex<RunKeeper>
    /// Signalled for a waiting writer when the frozen part is stored, or cannot be.
    private let drained = ThreadSemaphore()
    /// Empty when the flusher has ended.
    private let ended = DispatchGroup()

    struct State: Sendable {
        /// The writer adds the newest events, the flusher those that were left out.
        var active: MemoryPart
        var frozen: MemoryPart?
        var flushing = IndexTask()
        var merging = IndexTask()
        var isBehind = false
        /// On the semaphore `drained`.
        var isWriterWaiting = false
        /// The writer must not wait: events of the frozen part may never be stored.
        var hasCommitFailed = false
        var isClosing = false

        var first: UInt64 { frozen?.first ?? active.first }

        mutating func freeze() {
            let full = active
            frozen = full
            active = MemoryPart(after: full)
        }
    }

    /// Call ``startFlusher()`` and ``replay(through:)``, which adds the newest events, before use.
    init(store: RunStore, log: LogStorage, head: HeadSignal, created: Timestamp, kinds: IndexedKinds, options: EventLog.Options) {
        (self.store, self.log, self.head, self.created, self.kinds) = (store, log, head, created, kinds)
        flushEvents = max(1, options.indexFlushEvents)
        stallEvents = max(flushEvents, options.indexStallEvents)
        memoryEvents = max(stallEvents, options.indexMemoryEvents)
        retryMilliseconds = max(1, options.indexRetryMilliseconds)
        let covered = store.list.manifest.coverage.position
        replayed = head.head.rawValue - covered
        state = Mutex(State(active: MemoryPart(first: covered + 1)))
        keeper = Mutex(RunKeeper(store, factor: options.indexMergeFactor))
    }

    func startFlusher() { AwaitedThread.start("index flusher", in: ended) { [self] in work() } }

    /// Leaves an event out if earlier ones are missing or memory is full; look-ups then scan the log.
    func insert(_ record: borrowing Record, at position: UInt64) {
        state.withLock { state in
            if state.active.next == position && state.active.eventCount < memoryEvents {
                state.active.insert(record, at: position, kinds: kinds)
            } else if state.active.next <= position {
                state.isBehind = true
            }
        }
    }

    /// Hands a large active part to the flusher, and waits from ``stallEvents`` on, unless flushing or a commit fails. All of its events
    /// must be in ended batches (``Appender/seal()``).
    ///
    /// - Parameter stalling: called before waiting, because the flusher may need events that are not committed yet.
    func flushIfLarge(stalling: () -> Void = {}) {
        while true {
            let mustWait = state.withLock { state in
                if state.active.eventCount < flushEvents { return false }
                if state.frozen == nil {
                    state.freeze()
                    store.wake.signal()
                    return false
                }
                let canFlush = state.flushing.failure == nil && !state.hasCommitFailed
                state.isWriterWaiting = canFlush && state.active.eventCount >= stallEvents
                return state.isWriterWaiting
            }
            if !mustWait { return }
            stalling()
            drained.wait()
        }
    }

    /// Returns whether the part was handed to the flusher.
    func freezeIfLarge() -> Bool {
        state.withLock { state in
            guard state.active.eventCount >= flushEvents, state.frozen == nil else { return false }
            state.freeze()
            return true
        }
    }

    func releaseWriter() {
        let isWriterWaiting = state.withLock { state in
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { drained.signal() }
    }

    /// After a failed commit the writer must never wait: the flusher waits for events that the log may never have.
    func noteFailedCommit() {
        state.withLock { $0.hasCommitFailed = true }
        releaseWriter()
    }

    /// Nil if nothing is missing, or too much for the writer to add at once.
    func missing(through last: UInt64) -> ClosedRange<UInt64>? {
        state.withLock { state in
            guard state.isBehind else { return nil }
            let next = state.active.next
            if next > last {
                state.isBehind = false
                return nil
            }
            let room = memoryEvents - state.active.eventCount
            return last - next < UInt64(min(room, LogLimits.indexReplayedAtOnce)) ? next...last : nil
        }
    }

    /// Ends the flusher, and stores the entries in memory if all are committed. Abandons an unfinished merge.
    ///
    /// - Throws: the error that prevented storing; the next opening reads the events from the log.
    func close(head: Position) throws(EventLogError) {
        stopFlusher()
        let rest = state.withLock { state in state.frozen == nil ? state.active : nil }
        if let rest, rest.eventCount > 0, rest.next == head.rawValue + 1 {
            _ = try store.mendRemoved()
            try flush(rest)
        }
        if let failure = state.withLock({ $0.flushing.failure }) { throw failure }
    }

    /// Waits for the thread's end. Call once.
    func stopFlusher() {
        state.withLock { $0.isClosing = true }
        store.wake.signal()
        ended.wait()
    }

    func withMemory<Result>(_ body: (MemoryPart?, borrowing MemoryPart, UInt64) -> sending Result) -> sending Result {
        state.withLock { state in body(state.frozen, state.active, state.first) }
    }

    var end: UInt64 { state.withLock { $0.active.next } }

    /// The flusher runs meanwhile, so memory is bounded.
    func replay(through head: Position) throws(EventLogError) {
        do {
            let step = UInt64(min(flushEvents, LogLimits.indexReplayedAtOnce))
            var next = state.withLock { $0.active.next }
            while next <= head.rawValue {
                let last = min(head.rawValue, next + step - 1)
                try log.scan(from: next, through: last) { position, record in
                    insert(record, at: position.rawValue)
                    return true
                }
                next = last + 1
                flushIfLarge()
                // Memory is full; the flusher adds the rest when it can store runs again.
                if state.withLock({ $0.isBehind }) { return }
            }
        } catch { throw EventLogError(any: error) }
    }

    /// The index's status.
    var status: IndexStatus {
        let list = store.list
        let covered = list.manifest.coverage.position
        let log = head.head.rawValue
        return state.withLock { state in
            IndexStatus(
                covered: Position(covered), runs: list.runs.count, bytes: list.manifest.runs.reduce(0) { $0 + $1.seal.bytes },
                damagedRuns: list.damaged, damagesFound: store.damages.load(ordering: .relaxed),
                memoryEvents: state.active.eventCount + (state.frozen?.eventCount ?? 0),
                scannedEvents: log >= state.active.next ? log - state.active.next + 1 : 0, replayedEvents: replayed,
                failure: state.flushing.failure ?? state.merging.failure, failures: state.flushing.failures + state.merging.failures)
        }
    }
}

/// The status of a log's tag index.
public struct IndexStatus: Sendable {
    /// Every event up to this position is in a run on disk.
    public let covered: Position
    /// Runs on disk, and the bytes of their files.
    public let runs: Int, bytes: UInt64
    /// Until they are rebuilt, look-ups scan the log in their place.
    public let damagedRuns: Int
    /// Since the opening, with rebuilt ones.
    public let damagesFound: Int
    /// Events whose tags are in memory.
    public let memoryEvents: Int
    /// The newest events, in neither run nor memory because storing failed; look-ups scan the log for them.
    public let scannedEvents: UInt64
    /// Events without a run at opening, read from the log.
    public let replayedEvents: UInt64
    /// The reason why runs currently cannot be stored, merged or rebuilt. The flusher retries.
    public let failure: EventLogError?
    /// Consecutive failures of flushing, plus those of merging and rebuilding.
    public let failures: Int
}

extension TagIndex {
    /// Brings an index of this log up to its head; any other index is rebuilt.
    static func open(
        _ directory: String, log: LogStorage, schema: Schema, head: HeadSignal, options: EventLog.Options
    ) throws(EventLogError) -> TagIndex {
        let (kinds, created) = (IndexedKinds(schema), try log.created())
        let wanted = IndexCoverage(position: head.head.rawValue, created: created, kinds: kinds.bytes)
        let store = try RunStore.keep(directory, log: log) { (coverage) throws(EventLogError) in try covers(coverage, log, wanted) }
        let index = TagIndex(store: store, log: log, head: head, created: created, kinds: kinds, options: options)
        index.startFlusher()
        do throws(EventLogError) {
            try index.replay(through: head.head)
        } catch {
            index.stopFlusher()
            throw error
        }
        return index
    }

    /// Whether an index was made from this log and kinds, and is not ahead. False after a restore of an older log.
    static func covers(_ coverage: IndexCoverage, _ log: LogStorage, _ wanted: IndexCoverage) throws(EventLogError) -> Bool {
        guard coverage.kinds == wanted.kinds, coverage.created == wanted.created, coverage.position <= wanted.position else { return false }
        if coverage.position == 0 { return true }
        return try log.indexedRoot(at: coverage.position) == coverage.root
    }
}

extension LogStorage {
    /// Empty without a tree.
    func indexedRoot(at position: UInt64) throws(EventLogError) -> [UInt8] {
        if tree == nil { return [] }
        return try LogTree(storage: self).edge(at: position).root.bytes
    }
}

extension TagIndex {
    private static let (fewEvents, moreEvents) = (64, 64)

    /// The item's tag with about the fewest events; nil without tags, or if one of several has no event.
    ///
    /// It only decides which list is walked, so counting stops as soon as a rare tag is known.
    func rarest(of item: QueryItem) throws(EventLogError) -> Tag? {
        guard item.tags.count > 1 else { return item.tags.first }
        var enough = Self.fewEvents
        while true {
            var rarest: (tag: Tag, count: Int)?
            for tag in item.tags {
                let count = try count(of: tag, types: item.types, enough: enough)
                if count == 0 { return nil }
                if count < rarest?.count ?? .max { rarest = (tag, count) }
            }
            guard let rarest, rarest.count > enough else { return rarest?.tag }
            enough *= Self.moreEvents
        }
    }

    /// Stops above `enough`. Memory comes first, so that a part flushed meanwhile is counted twice, but never missed.
    private func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        let inMemory = withMemory { frozen, active, _ in
            (frozen?.count(of: tag, types: types) ?? 0) + active.count(of: tag, types: types)
        }
        return inMemory > enough ? inMemory : try inMemory + store.count(of: tag, types: types, enough: enough - inMemory)
    }

    /// At least the newest `limit` positions, and the first position in memory.
    func memoryPositions(_ tag: Tag, types: [EventType], in range: PositionRange, limit: Int) -> (positions: [UInt64], first: UInt64) {
        withMemory { frozen, active, first in
            var found: [UInt64] = []
            active.collect(tag, types: types, in: range, limit: limit, into: &found)
            if found.count < limit { frozen?.collect(tag, types: types, in: range, limit: limit, into: &found) }
            return (found, first)
        }
    }

    /// Events from `end` on are not in the index.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> (found: UInt64?, end: UInt64) {
        let (found, first, end) = state.withLock { state in
            let found = state.active.newest(of: tag, type: type, through: last)
            return (found ?? state.frozen?.newest(of: tag, type: type, through: last), state.first, state.active.next)
        }
        if let found { return (found, end) }
        return (try store.newest(of: tag, type: type, through: min(last, first - 1)), end)
    }
}
