internal import Dispatch
internal import EventLog
internal import Synchronization

/// Hands runs of positions to threads, and takes what comes of them in the order of positions.
///
/// Whoever delivers the run that is next takes it, and those behind it that are there already; so no thread waits for another
/// unless it is far ahead.
final class ChunkQueue: Sendable {
    private struct State {
        var next: UInt64 = 1
        /// Delivered, and not yet taken.
        var delivered: [UInt64: CheckedChunk] = [:]
        var taken: UInt64 = 0
        var isTaking = false
    }

    private let head: UInt64
    private let state = Mutex(State())
    /// Runs that may be in memory at once.
    private let room: DispatchSemaphore
    private let history: Mutex<HistoryCheck>
    private let progress: @Sendable (UInt64) -> Void

    init(head: UInt64, jobs: Int, history: HistoryCheck, progress: @escaping @Sendable (UInt64) -> Void) {
        (self.head, self.progress) = (head, progress)
        room = DispatchSemaphore(value: jobs * 4)
        self.history = Mutex(history)
    }

    /// The next run to look at; nil when there is none. Waits while too many are not taken yet.
    func next() -> ClosedRange<UInt64>? {
        room.wait()
        let range = state.withLock { state -> ClosedRange<UInt64>? in
            guard state.next <= head else { return nil }
            let first = state.next
            state.next += ChunkCheck.events
            return first...min(head, first + ChunkCheck.events - 1)
        }
        if range == nil { room.signal() }
        return range
    }

    /// Brings what came of one run.
    func deliver(_ chunk: CheckedChunk) {
        let isTaker = state.withLock { state in
            state.delivered[chunk.first] = chunk
            defer { state.isTaking = true }
            return !state.isTaking
        }
        guard isTaker else { return }
        while let chunk = nextToTake() {
            history.withLock { $0.take(chunk) }
            room.signal()
            progress(chunk.first + UInt64(chunk.events.count) - 1)
        }
    }

    private func nextToTake() -> CheckedChunk? {
        state.withLock { state in
            let chunk = state.delivered.removeValue(forKey: state.taken + 1)
            if chunk == nil { state.isTaking = false } else { state.taken += ChunkCheck.events }
            return chunk
        }
    }

    /// The result for the whole history, once all threads have ended.
    func finished<Result>(_ body: (HistoryCheck) -> Result) -> Result {
        history.withLock { history in
            history.end(at: Position(head))
            return body(history)
        }
    }
}
