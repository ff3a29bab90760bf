internal import Dispatch
internal import Foundation
internal import LMDB
internal import Merkle
internal import Synchronization

/// Finds events by their tags. The newest part of the index is in memory, the rest in sorted runs on disk.
///
/// The writer adds each event when it is staged, before the log's commit. A reader ignores positions beyond the head that it began with, so
/// that it never shows uncommitted events. When the memory part is full, it is frozen. As soon as the log has all events of a frozen part,
/// the index's thread stores the part as a run and drops it from memory. When nothing waits to be flushed, the same thread merges runs and
/// rebuilds damaged ones (``RunKeeper``). A look-up reads memory first and then the runs, so that it never misses a part that is stored as
/// a run between the two reads. It reads the runs only for positions before those in memory, so that it finds no event twice; only a count
/// may include such a part twice.
///
/// ## When runs cannot be stored
/// The writer continues, and the flusher retries at growing intervals. Memory accepts events up to a limit. Later events are left out of
/// the index, and look-ups scan the log for them. When runs can be stored again, the omitted events are read from the log.
///
/// The index's key is tag and type together, so that one look-up finds a campaign's two lifecycle events among its million stamps.
final class TagIndex: Sendable {
    let store: RunStore
    let kinds: IndexedKinds
    let log: LogStorage
    /// The position up to which the log is on disk.
    let head: HeadSignal
    let created: Timestamp
    /// The number of events that no run had when the index was opened. The index reads them from the log.
    private let replayed: UInt64
    /// Three sizes of the active part, in events: at the first, the part is flushed; at the second, the writer waits; at the third, the
    /// part accepts no more events.
    private let flushEvents, stallEvents, memoryEvents: Int
    /// Milliseconds between a first failure and the next attempt.
    let retryMilliseconds: Int
    let state: Mutex<State>
    /// The flusher uses the keeper. The thread that closes the index uses it only after the flusher has ended, so the lock is never
    /// contended.
    let keeper: Mutex<RunKeeper>
    /// The semaphore is signalled for a waiting writer when the frozen part is stored, or cannot be stored.
    private let drained = ThreadSemaphore()
    /// The group of the flusher's thread, which is empty when the flusher has ended.
    private let ended = DispatchGroup()

    /// The memory parts and the state of the flusher. The index's mutex guards all of it.
    struct State: Sendable {
        /// The part with the newest events. The writer adds to it, and the flusher adds events that were left out before.
        var active: MemoryPart
        /// A full part that waits for the flusher or is being flushed, and is dropped when its postings are stored. It does not change any
        /// more.
        var frozen: MemoryPart?
        /// The state of flushing, and of merging and rebuilding, with the reasons for current failures.
        var flushing = IndexTask()
        var merging = IndexTask()
        /// Whether events were left out of the index, because the active part had no room for them.
        var isBehind = false
        /// Whether the writer waits on the semaphore `drained`.
        var isWriterWaiting = false
        /// Whether the writer must no longer wait, because a commit failed: events of the frozen part may never be stored.
        var hasCommitFailed = false
        /// Whether the flusher should end when no part is frozen.
        var isClosing = false

        /// The first position that the memory parts cover; earlier positions are in the persistent part.
        var first: UInt64 { frozen?.first ?? active.first }

        /// Makes the active part the frozen one, which the flusher stores, and begins a new active part.
        mutating func freeze() {
            let full = active
            frozen = full
            active = MemoryPart(after: full)
        }
    }

    /// Creates an index over a store. The store may lack the newest events of the log; ``replay(through:)`` adds them. Call
    /// ``startFlusher()`` and ``replay(through:)`` before use.
    init(store: RunStore, log: LogStorage, head: HeadSignal, created: Timestamp, kinds: IndexedKinds, options: EventLog.Options) {
        self.store = store
        self.log = log
        self.head = head
        self.created = created
        self.kinds = kinds
        flushEvents = max(1, options.indexFlushEvents)
        stallEvents = max(flushEvents, options.indexStallEvents)
        memoryEvents = max(stallEvents, options.indexMemoryEvents)
        retryMilliseconds = max(1, options.indexRetryMilliseconds)
        let covered = store.list.manifest.coverage.position
        replayed = head.head.rawValue - covered
        state = Mutex(State(active: MemoryPart(first: covered + 1)))
        keeper = Mutex(RunKeeper(store, factor: options.indexMergeFactor))
    }

    /// Starts the thread that flushes; ``close(head:)`` ends it.
    func startFlusher() { AwaitedThread.start("index flusher", in: ended) { [self] in work() } }

    /// Adds an event that was staged or read from the log. An event is left out if events before it are missing, or if memory has no room
    /// for it; look-ups then scan the log for it. An event that the index already has is ignored.
    func insert(_ record: borrowing Record, at position: UInt64) {
        state.withLock { state in
            if state.active.next == position && state.active.eventCount < memoryEvents {
                state.active.insert(record, at: position, kinds: kinds)
            } else if state.active.next <= position {
                state.isBehind = true
            }
        }
    }

    /// Hands the active part to the flusher when it is large enough, and waits while the part has ``stallEvents`` or more. It does not wait
    /// if flushing fails, for example because of a full disk, or after ``noteFailedCommit()``. Call it only when all events of the active
    /// part are in ended batches (``Appender/seal()``).
    ///
    /// - Parameter stalling: called before waiting, because the flusher may need events of batches that have ended but are not committed
    ///   yet.
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

    /// Hands the active part to the flusher when it is large enough and no other part is frozen. The flusher itself calls this.
    ///
    /// - Returns: whether the part was handed over.
    func freezeIfLarge() -> Bool {
        state.withLock { state in
            guard state.active.eventCount >= flushEvents, state.frozen == nil else { return false }
            state.freeze()
            return true
        }
    }

    /// Lets a waiting writer continue.
    func releaseWriter() {
        let isWriterWaiting = state.withLock { state in
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { drained.signal() }
    }

    /// Lets a waiting writer continue after a failed commit, and never wait again. The flusher waits until the log has all events of the
    /// frozen part, so a writer that waits for the flusher would wait for ever.
    func noteFailedCommit() {
        state.withLock { $0.hasCommitFailed = true }
        releaseWriter()
    }

    /// The positions that the index lacks because it had no room for their events, up to the last staged position, `last`. Nil if the index
    /// lacks no position, or lacks too many for the writer to add at once.
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

    /// Ends the flusher, and stores the entries in memory if the events of all of them are committed. An unfinished merge is abandoned.
    ///
    /// - Throws: the error that prevented storing the entries; the next opening reads their events from the log again.
    func close(head: Position) throws(EventLogError) {
        stopFlusher()
        let rest = state.withLock { state in state.frozen == nil ? state.active : nil }
        if let rest, rest.eventCount > 0, rest.next == head.rawValue + 1 {
            _ = try store.mendRemoved()
            try flush(rest)
        }
        if let failure = state.withLock({ $0.flushing.failure }) { throw failure }
    }

    /// Ends the flusher's thread and waits for its end. Call once.
    func stopFlusher() {
        state.withLock { $0.isClosing = true }
        store.wake.signal()
        ended.wait()
    }

    /// Calls `body` with the memory parts, the older one first, and the first position that they cover.
    func withMemory<Result>(_ body: (MemoryPart?, borrowing MemoryPart, UInt64) -> sending Result) -> sending Result {
        state.withLock { state in body(state.frozen, state.active, state.first) }
    }

    /// The first position after those that memory covers: the position of the next event to stage, unless events were left out.
    var end: UInt64 { state.withLock { $0.active.next } }

    /// Adds all events up to the log's head, in the same way as events that arrive later: the flusher runs meanwhile, and memory is
    /// bounded.
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
                // If memory had no room for an event, the replay ends here. The flusher adds the remaining events when it can store runs
                // again.
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

/// The status of a log's tag index, for `/readyz`, metrics, the operator's log and tests.
public struct IndexStatus: Sendable {
    /// Every event up to this position is in a run on disk.
    public let covered: Position
    /// The number of runs on disk, and the bytes of their files.
    public let runs: Int, bytes: UInt64
    /// The number of damaged runs. Until they are rebuilt, look-ups scan the log in their place.
    public let damagedRuns: Int
    /// The number of runs found damaged since the opening, including rebuilt ones.
    public let damagesFound: Int
    /// The number of events whose tags are in memory.
    public let memoryEvents: Int
    /// The number of newest events that are neither in a run nor in memory, because runs could not be stored and memory is full. Look-ups
    /// scan the log for them.
    public let scannedEvents: UInt64
    /// The number of events that no run had when the index was opened. The index reads them from the log.
    public let replayedEvents: UInt64
    /// The reason why runs currently cannot be stored, merged or rebuilt; nil if they can. The flusher retries.
    public let failure: EventLogError?
    /// The number of consecutive failures of flushing, plus those of merging and rebuilding.
    public let failures: Int
}

extension TagIndex {
    /// Opens the index of a log and brings it up to the log's head. An index of this log continues from its covered position; any other
    /// index is rebuilt from the first event.
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

    /// Whether an index was made from this log, for the same kinds of tags, and is not ahead of the log.
    ///
    /// The result may be false after the log was restored from an older copy: the log is then shorter than its index, or has got other
    /// events since.
    static func covers(
        _ coverage: IndexCoverage, _ log: LogStorage, _ wanted: IndexCoverage
    ) throws(EventLogError) -> Bool {
        guard coverage.kinds == wanted.kinds, coverage.created == wanted.created, coverage.position <= wanted.position else {
            return false
        }
        if coverage.position == 0 { return true }
        return try log.indexedRoot(at: coverage.position) == coverage.root
    }
}

extension LogStorage {
    /// The root of the log's tree at a position; empty for a log without a tree. An index stores this root to identify its log.
    func indexedRoot(at position: UInt64) throws(EventLogError) -> [UInt8] {
        if tree == nil { return [] }
        return try LogTree(storage: self).edge(at: position).root.bytes
    }
}

extension TagIndex {
    /// The count above which counting first stops, and the factor by which this limit grows each time all tags exceed it.
    private static let (fewEvents, moreEvents) = (64, 64)

    /// The item's tag with about the fewest events of the item's types. Nil if the item has no tag, or if it has several tags and one of
    /// these tags has no such event.
    ///
    /// The tag only decides which list is walked, so counting stops as soon as a rare tag can be told from the others.
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

    /// The number of events with a tag and, if any types are given, one of the types. Counting stops above `enough`.
    ///
    /// Memory is counted before the runs. So a part that is flushed between the two counts is counted twice, but never missed.
    private func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        let inMemory = withMemory { frozen, active, _ in
            (frozen?.count(of: tag, types: types) ?? 0) + active.count(of: tag, types: types)
        }
        return inMemory > enough ? inMemory : try inMemory + store.count(of: tag, types: types, enough: enough - inMemory)
    }

    /// The matching positions in memory, newest first (at least the newest `limit` of them), and the first position that memory covers.
    func memoryPositions(
        _ tag: Tag, types: [EventType], in range: PositionRange, limit: Int
    ) -> (positions: [UInt64], first: UInt64) {
        withMemory { frozen, active, first in
            var found: [UInt64] = []
            active.collect(tag, types: types, in: range, limit: limit, into: &found)
            if found.count < limit { frozen?.collect(tag, types: types, in: range, limit: limit, into: &found) }
            return (found, first)
        }
    }

    /// The newest position, up to and including `last`, of an indexed event with a tag and, if given, a type. Events from the returned
    /// position `end` on are not in the index.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> (found: UInt64?, end: UInt64) {
        let (found, first, end) = state.withLock { state in
            let found = state.active.newest(of: tag, type: type, through: last)
            return (found ?? state.frozen?.newest(of: tag, type: type, through: last), state.first, state.active.next)
        }
        if let found { return (found, end) }
        return (try store.newest(of: tag, type: type, through: min(last, first - 1)), end)
    }
}
