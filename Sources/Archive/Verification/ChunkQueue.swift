internal import Dispatch
internal import EventLog
internal import Synchronization

/// Distributes ranges of positions to threads, and processes their results in order.
///
/// The delivering thread also processes all results that are next, unless another thread does. So a thread waits only if too many are
/// unprocessed.
final class ChunkQueue: Sendable {
    private struct State {
        var next: UInt64 = 1
        /// Not processed yet.
        var delivered: [UInt64: CheckedChunk] = [:]
        var taken: UInt64 = 0
        var isTaking = false
    }

    private let head: UInt64
    private let state = Mutex(State())
    /// Limits the ranges whose results are in memory.
    private let room: DispatchSemaphore
    private let history: Mutex<HistoryCheck>
    private let progress: @Sendable (UInt64) -> Void

    init(head: UInt64, jobs: Int, history: HistoryCheck, progress: @escaping @Sendable (UInt64) -> Void) {
        (self.head, self.progress) = (head, progress)
        room = DispatchSemaphore(value: jobs * 4)
        self.history = Mutex(history)
    }

    /// Waits while too many ranges are unprocessed.
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

    func deliver(_ chunk: CheckedChunk) {
        let isTaker = state.withLock { state in
            state.delivered[chunk.first] = chunk
            defer { state.isTaking = true }
            return !state.isTaking
        }
        guard isTaker else { return }
        while let chunk = nextToTake() {
            history.withLock { $0.apply(chunk) }
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

    /// Passes the finished check to `body`. All threads MUST have ended before.
    func finished<Result>(_ body: (HistoryCheck) -> Result) -> Result {
        history.withLock { history in
            history.end(at: Position(head))
            return body(history)
        }
    }
}
