internal import Dispatch
internal import EventLog
internal import Synchronization

/// Distributes ranges of positions to threads, and processes their results in the order of positions.
///
/// A thread that delivers a result also processes all delivered results that are next in order, unless another thread is already doing so.
/// So a thread waits for other threads only if too many results are unprocessed.
final class ChunkQueue: Sendable {
    private struct State {
        var next: UInt64 = 1
        /// Results that were delivered and not processed yet.
        var delivered: [UInt64: CheckedChunk] = [:]
        var taken: UInt64 = 0
        var isTaking = false
    }

    private let head: UInt64
    private let state = Mutex(State())
    /// Limits the number of ranges whose results are in memory.
    private let room: DispatchSemaphore
    private let history: Mutex<HistoryCheck>
    private let progress: @Sendable (UInt64) -> Void

    init(head: UInt64, jobs: Int, history: HistoryCheck, progress: @escaping @Sendable (UInt64) -> Void) {
        (self.head, self.progress) = (head, progress)
        room = DispatchSemaphore(value: jobs * 4)
        self.history = Mutex(history)
    }

    /// The next range to check; nil if there is none. Waits while too many ranges are unprocessed.
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

    /// Delivers the result for one range.
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

    /// Ends the check of the whole history, and passes it to `body`. All threads MUST have ended before.
    func finished<Result>(_ body: (HistoryCheck) -> Result) -> Result {
        history.withLock { history in
            history.end(at: Position(head))
            return body(history)
        }
    }
}
