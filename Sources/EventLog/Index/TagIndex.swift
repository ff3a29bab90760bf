internal import Foundation
internal import LMDB
internal import Merkle
internal import Synchronization

/// Finds events by their tags: the newest part in memory, the rest in sorted runs on disk.
///
/// The writer adds each event when it is staged, before the log's commit; a reader leaves out whatever is beyond the head that it
/// began with, so that nothing uncommitted is ever shown. A full memory part is frozen, stored as a run by a thread of the index as
/// soon as the log has all of it, and then dropped; the same thread merges runs and makes damaged ones anew when nothing waits to be
/// flushed (``RunKeeper``). A look-up asks memory first and the runs second, the latter only for positions before those of memory: a
/// part that moves between the two questions is then found twice, never missed.
///
/// ## When runs cannot be stored
/// The writer goes on. The flusher tries again, later and later. Memory takes events up to a limit; those beyond it are left out of the
/// index, and look-ups scan the log for them. When runs can be stored again, what was left out is read from the log.
///
/// The key is tag and type together, so that a campaign's two lifecycle events are found among its million stamps by one look-up.
final class TagIndex: Sendable {
    let store: RunStore
    let kinds: IndexedKinds
    let log: LogStorage
    /// How far the log is on disk.
    let head: HeadSignal
    let created: Timestamp
    /// Events of the log that the opening read, since no run had them.
    private let replayed: UInt64
    /// Events at which the active part is flushed, at which the writer waits, and beyond which the active part takes none.
    private let flushEvents, stallEvents, memoryEvents: Int
    /// Between a first failure and the next attempt.
    let retryMilliseconds: Int
    let state: Mutex<State>
    /// Used by the flusher, and by the closing thread when the flusher has ended: the lock is never waited for.
    let keeper: Mutex<RunKeeper>
    /// Signalled for a waiting writer when the frozen part is gone, or cannot be stored.
    private let drained = ThreadSemaphore()
    /// Signalled when the flusher has ended.
    private let ended = ThreadSemaphore()

    /// The memory parts and what the flusher is at. All of it is guarded by the index's mutex.
    struct State: Sendable {
        /// Takes the newest events; the writer adds to it and, of events that were left out before, the flusher.
        var active: MemoryPart
        /// Full, waiting for the flusher or being flushed: dropped when its postings are stored. Read-only.
        var frozen: MemoryPart?
        /// The reasons why runs cannot be stored at the moment, and why they cannot be merged or rebuilt.
        var flushing = IndexTask()
        var merging = IndexTask()
        /// Events behind those of the active part were left out of the index.
        var isBehind = false
        /// The writer waits on the semaphore `drained`.
        var isWriterWaiting = false
        /// The flusher is to end when nothing is frozen.
        var isClosing = false

        /// The first position that the memory parts cover; what is before is in the persistent part.
        var first: UInt64 { frozen?.first ?? active.first }

        /// Lets the flusher have the active part.
        mutating func freeze() {
            let full = active
            frozen = full
            active = MemoryPart(after: full)
        }
    }

    /// An index over a store that covers the log through `covered`; ``startFlusher()`` and ``replay(through:)`` before use.
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
    ///
    /// The thread gives its reference back before it says that it has ended: after a close nothing hidden keeps the files open.
    func startFlusher() {
        let loan = Loan(self)
        let thread = Thread { [ended] in
            loan.take()?.work()
            ended.signal()
        }
        thread.name = "index flusher"
        thread.start()
    }

    /// Adds an event, staged or read from the log. One that does not follow those that are here, or for which there is no room, is left
    /// out: look-ups scan the log for it.
    func insert(_ record: borrowing Record, at position: UInt64) {
        state.withLock { state in
            if state.active.next == position && state.active.eventCount < memoryEvents {
                state.active.insert(record, at: position, kinds: kinds)
            } else if state.active.next <= position {
                state.isBehind = true
            }
        }
    }

    /// Hands the active part to the flusher when it is large enough. Called when all of it was sealed. Waits when the flusher lags by more
    /// than the second limit, unless what it lags for is a disk that stores nothing.
    ///
    /// - Parameter stalling: called before that: the flusher may be waiting for what is sealed and not committed yet.
    func flushIfLarge(stalling: () -> Void = {}) {
        while true {
            let mustWait = state.withLock { state in
                if state.active.eventCount < flushEvents { return false }
                if state.frozen == nil {
                    state.freeze()
                    store.wake.signal()
                    return false
                }
                state.isWriterWaiting = state.active.eventCount >= stallEvents && state.flushing.failure == nil
                return state.isWriterWaiting
            }
            if !mustWait { return }
            stalling()
            drained.wait()
        }
    }

    /// Hands the active part to the flusher when it is large enough and nothing else waits for it; for the flusher itself.
    ///
    /// - Returns: whether it did.
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

    /// The positions, up to the last staged one, whose events are not in the index yet. Nil if there are none, or more than the writer can
    /// add at once.
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

    /// Ends the flusher, and stores what memory holds if it is all committed. A merge is left undone.
    ///
    /// - Throws: what kept it from being stored; the next opening reads it from the log again.
    func close(head: Position) throws(EventLogError) {
        stopFlusher()
        let rest = state.withLock { state in state.frozen == nil ? state.active : nil }
        if let rest, rest.eventCount > 0, rest.next == head.rawValue + 1 {
            _ = try store.mendRemoved()
            try flush(rest)
        }
        if let failure = state.withLock({ $0.flushing.failure }) { throw failure }
    }

    /// Ends the flusher's thread, and returns when it is gone. Once.
    func stopFlusher() {
        state.withLock { $0.isClosing = true }
        store.wake.signal()
        ended.wait()
    }

    /// Calls `body` with the memory parts, the older one first, and the first position that they cover.
    func withMemory<Result>(_ body: (MemoryPart?, borrowing MemoryPart, UInt64) -> sending Result) -> sending Result {
        state.withLock { state in body(state.frozen, state.active, state.first) }
    }

    /// The first position that memory does not cover: beyond what is staged, unless events were left out.
    var end: UInt64 { state.withLock { $0.active.next } }

    /// Brings a fresh index to the log's head, along the way that new events take: the flusher works beside, and memory is bounded.
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
                // The flusher resumes when it can store runs again.
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
    /// Every event up to here is in a run on disk.
    public let covered: Position
    /// Runs on disk, and the bytes of their files.
    public let runs: Int, bytes: UInt64
    /// Damaged runs. Look-ups scan the log in their place until they are rebuilt.
    public let damagedRuns: Int
    /// Runs that were found damaged since the opening, including rebuilt ones.
    public let damagesFound: Int
    /// Events that memory holds the tags of.
    public let memoryEvents: Int
    /// Newest events that are in no part of the index, since no run could be stored for long: look-ups scan the log for them.
    public let scannedEvents: UInt64
    /// Events that the opening read from the log, since no run had them.
    public let replayedEvents: UInt64
    /// The reason why runs cannot be stored, merged or rebuilt at the moment; nil when they can. The flusher retries.
    public let failure: EventLogError?
    /// Attempts in a row that failed.
    public let failures: Int
}

extension TagIndex {
    /// Opens the index of a log and brings it to the log's head: from its own position if it is this log's, else from the beginning.
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

    /// Whether postings were made from this very log, by the same rules, and are not ahead of it.
    ///
    /// A log restored from an older copy may be shorter than its index, or by now longer, with other events.
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
    /// The root of the log's tree at a position, by which an index knows the log that it was made of; empty in a log without a tree.
    func indexedRoot(at position: UInt64) throws(EventLogError) -> [UInt8] {
        if tree == nil { return [] }
        return try LogTree(storage: self).edge(at: position).root.bytes
    }
}

extension TagIndex {
    /// Counts at which counting first ends, and how much further it goes each time when all tags have more.
    private static let (fewEvents, moreEvents) = (64, 64)

    /// A tag of an item that few events have, compared with its others; nil when there is one that none has.
    ///
    /// It only decides which list is walked: counting goes no further than it takes to tell a rare tag from the others.
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

    /// How many events have a tag and, if any are named, one of the types; counting ends when there are more than `enough`.
    ///
    /// Memory is counted first: what is flushed between the two counts is counted twice, and nothing is left out.
    private func count(of tag: Tag, types: [EventType], enough: Int) throws(EventLogError) -> Int {
        let inMemory = withMemory { frozen, active, _ in
            (frozen?.count(of: tag, types: types) ?? 0) + active.count(of: tag, types: types)
        }
        return inMemory > enough ? inMemory : try inMemory + store.count(of: tag, types: types, enough: enough - inMemory)
    }

    /// The positions in memory, newest first and at least the newest `limit`, and the first position that memory covers.
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

    /// The newest position through `last` of an event with a tag and, if given, a type, among those before `end`: what lies behind it was
    /// left out.
    func newest(of tag: Tag, type: EventType?, through last: UInt64) throws(EventLogError) -> (found: UInt64?, end: UInt64) {
        let (found, first, end) = state.withLock { state in
            let found = state.active.newest(of: tag, type: type, through: last)
            return (found ?? state.frozen?.newest(of: tag, type: type, through: last), state.first, state.active.next)
        }
        if let found { return (found, end) }
        return (try store.newest(of: tag, type: type, through: min(last, first - 1)), end)
    }
}
