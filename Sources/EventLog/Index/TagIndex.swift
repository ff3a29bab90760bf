internal import Foundation
internal import LMDB
internal import Synchronization

/// Finds events by their tags: the newest part in memory, the rest in a derived environment.
///
/// The writer adds each event when it is staged, before the log's commit; a reader leaves out whatever is beyond the head that it
/// began with, so that nothing uncommitted is ever shown. A full memory part is frozen, flushed by a thread of the index in the
/// order of keys as soon as the log has all of it, and then dropped. A look-up asks memory first and the persistent part
/// second, the latter only for
/// positions before those of memory: a part that moves between the two questions is then found twice, never missed.
final class TagIndex: Sendable {
    let store: PostingStore
    let kinds: IndexedKinds
    private let log: LogStorage
    /// How far the log is on disk.
    private let head: HeadSignal
    private let created: Timestamp
    /// Events at which the active part is flushed, and at which the writer waits.
    private let flushEvents, stallEvents: Int
    private let state: Mutex<State>
    /// Signalled when there is something to flush, or the index closes.
    private let wake = DispatchSemaphore(value: 0)
    /// Signalled for a waiting writer when the frozen part is gone.
    private let drained = DispatchSemaphore(value: 0)
    /// Signalled when the flusher has ended.
    private let ended = DispatchSemaphore(value: 0)

    /// An index over a store that covers the log through `covered`; ``replay(through:)`` it before use.
    init(
        store: PostingStore, log: LogStorage, head: HeadSignal, created: Timestamp, kinds: IndexedKinds, covered: UInt64,
        options: EventLog.Options
    ) {
        self.store = store
        self.log = log
        self.head = head
        self.created = created
        self.kinds = kinds
        flushEvents = max(1, options.indexFlushEvents)
        stallEvents = max(flushEvents, options.indexStallEvents)
        state = Mutex(State(active: MemoryPart(first: covered + 1)))
    }

    /// Starts the thread that flushes; ``close(head:)`` ends it.
    ///
    /// The thread gives its reference back before it says that it has ended: after a close nothing hidden keeps the files open.
    func startFlusher() {
        let loan = Loan(self)
        let thread = Thread { [ended] in
            loan.take()?.flushUntilClosed()
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

    /// Hands the active part to the flusher when it is large enough. Called when all of it is on its way to the disk. Waits when
    /// the flusher lags by more than the second limit.
    func flushIfLarge() {
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
            drained.wait()
        }
    }

    /// Ends the flusher, stores what memory holds if it is all committed, and marks the index as complete.
    func close(head: Position) throws(EventLogError) {
        state.withLock { $0.isClosing = true }
        wake.signal()
        ended.wait()
        let rest = state.withLock { state in state.failure == nil && state.frozen == nil ? state.active : nil }
        if let rest, rest.eventCount > 0, rest.next == head.rawValue + 1 { try flush(rest) }
        try store.derived.close()
    }

    /// Calls `body` with the memory parts, the older one first, and the first position that they cover.
    func withMemory<Result>(_ body: (MemoryPart?, borrowing MemoryPart, UInt64) -> sending Result) -> sending Result {
        state.withLock { state in body(state.frozen, state.active, state.first) }
    }

    /// Stores a part that the log holds entirely.
    func flush(_ part: MemoryPart) throws(EventLogError) {
        let last = part.next - 1
        let fingerprint = try log.withRecord(at: last) { record in IndexMeta.fingerprint(of: record.bytes) }
        guard let fingerprint else { throw LogStorage.gap(at: last) }
        let coverage = IndexMeta(position: last, fingerprint: fingerprint, created: created, kinds: kinds.bytes)
        try store.store(part, coverage)
    }

    /// Brings a fresh index to the log's head, a memory part at a time, so that any log can be indexed in bounded memory.
    func replay(through head: Position) throws(EventLogError) {
        do {
            var next = state.withLock { $0.active.next }
            while next <= head.rawValue {
                let last = min(head.rawValue, next + UInt64(flushEvents) - 1)
                try log.scan(from: next, through: last) { position, record in
                    try insert(record, at: position.rawValue)
                    return true
                }
                next = last + 1
                try flushWhenFull()
            }
        } catch { throw EventLogError(any: error) }
    }

    private func flushWhenFull() throws(EventLogError) {
        let part = state.withLock { $0.active }
        guard part.eventCount >= flushEvents else { return }
        try flush(part)
        state.withLock { $0.active = MemoryPart(first: part.next, expectedEvents: part.eventCount) }
    }

    private func flushUntilClosed() {
        while true {
            wake.wait()
            guard let part = state.withLock({ $0.frozen }) else {
                if state.withLock({ $0.isClosing }) { return }
                continue
            }
            guard isStored(part) else { return }
            do throws(EventLogError) {
                try flush(part)
                finish(nil)
            } catch { return finish(error) }
        }
    }

    /// Waits until the log has all of a part, so that the persistent part never runs ahead of it; false when the index closes first.
    private func isStored(_ part: MemoryPart) -> Bool {
        let last = Position(part.next - 1)
        while head.head < last {
            if state.withLock({ $0.isClosing }) { return false }
            _ = head.wait(beyond: Position(part.next - 2), timeoutSeconds: 1)
        }
        return true
    }

    /// Drops the flushed part, or notes why it could not be flushed; it is kept then, for readers.
    private func finish(_ failure: EventLogError?) {
        let isWriterWaiting = state.withLock { state in
            state.failure = failure
            if failure == nil { state.frozen = nil }
            defer { state.isWriterWaiting = false }
            return state.isWriterWaiting
        }
        if isWriterWaiting { drained.signal() }
    }
}
