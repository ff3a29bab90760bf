internal import Foundation
internal import LMDB
internal import Synchronization

/// Finds events by their tags: the newest part in memory, the rest in sorted runs in a derived environment.
///
/// The writer adds each event when it is staged, before the log's commit; a reader leaves out whatever is beyond the head that it
/// began with, so that nothing uncommitted is ever shown. A full memory part is frozen, stored as a run by a thread of the index as
/// soon as the log has all of it, and then dropped; the same thread merges runs when nothing waits to be flushed (``RunKeeper``). A
/// look-up asks memory first and the runs second, the latter only for positions before those of memory: a part that moves between
/// the two questions is then found twice, never missed.
final class TagIndex: Sendable {
    let store: PostingStore
    let kinds: IndexedKinds
    let log: LogStorage
    /// How far the log is on disk.
    let head: HeadSignal
    let created: Timestamp
    /// Events at which the active part is flushed, and at which the writer waits.
    private let flushEvents, stallEvents: Int
    let state: Mutex<State>
    /// Used by the flusher, and by the closing thread when the flusher has ended: the lock is never waited for.
    let keeper: Mutex<RunKeeper>
    /// Signalled when there is something to flush, or the index closes.
    let wake = DispatchSemaphore(value: 0)
    /// Signalled for a waiting writer when the frozen part is gone.
    let drained = DispatchSemaphore(value: 0)
    /// Signalled when the flusher has ended.
    private let ended = DispatchSemaphore(value: 0)

    /// An index over a store that covers the log through `covered`; ``startFlusher()`` and ``replay(through:)`` before use.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    init(
        store: PostingStore, log: LogStorage, head: HeadSignal, created: Timestamp, kinds: IndexedKinds, covered: UInt64,
        options: EventLog.Options
    ) throws(EventLogError) {
        self.store = store
        self.log = log
        self.head = head
        self.created = created
        self.kinds = kinds
        flushEvents = max(1, options.indexFlushEvents)
        stallEvents = max(flushEvents, options.indexStallEvents)
        state = Mutex(State(active: MemoryPart(first: covered + 1)))
        keeper = Mutex(try RunKeeper(store, factor: options.indexMergeFactor))
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

    /// Adds an event, staged or read from the log; positions come one after the other.
    ///
    /// - Throws: what stopped the flusher, if something did: the index would grow without bounds.
    func insert(_ record: borrowing Record, at position: UInt64) throws(EventLogError) {
        let failure = state.withLock { state in
            if state.failure == nil { state.active.insert(record, at: position, kinds: kinds) }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Hands the active part to the flusher when it is large enough. Called when all of it was sealed. Waits when the flusher lags by more
    /// than the second limit.
    ///
    /// - Parameter stalling: called before that: the flusher may be waiting for what is sealed and not committed yet.
    func flushIfLarge(stalling: () -> Void = {}) {
        while true {
            let mustWait = state.withLock { state in
                if state.active.eventCount < flushEvents || state.failure != nil { return false }
                if state.frozen == nil {
                    state.freeze()
                    wake.signal()
                    return false
                }
                state.isWriterWaiting = state.active.eventCount >= stallEvents
                return state.isWriterWaiting
            }
            if !mustWait { return }
            stalling()
            drained.wait()
        }
    }

    /// Ends the flusher, stores what memory holds if it is all committed, and marks the index as complete. A merge is left undone.
    func close(head: Position) throws(EventLogError) {
        stopFlusher()
        let rest = state.withLock { state in state.failure == nil && state.frozen == nil ? state.active : nil }
        if let rest, rest.eventCount > 0, rest.next == head.rawValue + 1 { try flush(rest) }
        try store.derived?.close()
    }

    /// Ends the flusher's thread, and returns when it is gone. Once.
    func stopFlusher() {
        state.withLock { $0.isClosing = true }
        wake.signal()
        ended.wait()
    }

    /// Calls `body` with the memory parts, the older one first, and the first position that they cover.
    func withMemory<Result>(_ body: (MemoryPart?, borrowing MemoryPart, UInt64) -> sending Result) -> sending Result {
        state.withLock { state in body(state.frozen, state.active, state.first) }
    }

    /// Brings a fresh index to the log's head, along the way that new events take: the flusher works beside, and memory is bounded.
    func replay(through head: Position) throws(EventLogError) {
        do {
            let step = UInt64(min(flushEvents, LogLimits.indexReplayedAtOnce))
            var next = state.withLock { $0.active.next }
            while next <= head.rawValue {
                let last = min(head.rawValue, next + step - 1)
                try log.scan(from: next, through: last) { position, record in
                    try insert(record, at: position.rawValue)
                    return true
                }
                next = last + 1
                flushIfLarge()
            }
        } catch { throw EventLogError(any: error) }
    }
}
