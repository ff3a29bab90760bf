internal import EventLog
internal import Synchronization

/// Batches between two threads: the one that reads the log fills them, the other one numbers and folds them, and the first one gets them
/// back, in the same order. There are a few, so that neither waits long.
final class BatchQueue: Sendable {
    private static let batches = 4

    private struct State {
        var filled: [ReplayBatch] = []
        var done = Array(repeating: ReplayBatch(), count: batches)
    }

    private let state = Mutex(State())
    private let hasDone = ThreadSemaphore()
    /// Once more than there are filled ones when no more will come.
    private let hasFilled = ThreadSemaphore()

    init() {
        for _ in 0..<Self.batches { hasDone.signal() }
    }

    /// Hands on a batch.
    func put(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.filled.append(batch) }
        hasFilled.signal()
    }

    /// The batch that has been with the other thread longest, which is through with it; waits for it. The first few are empty.
    @available(*, noasync)
    func takeBack() -> ReplayBatch {
        hasDone.wait()
        return state.withLock { $0.done.removeFirst() }
    }

    /// No more will come.
    func close() { hasFilled.signal() }

    /// What came back and was not taken, once the other thread has ended.
    var rest: [ReplayBatch] { state.withLock { $0.done } }

    /// The next batch; waits for it. Nil when no more will come.
    @available(*, noasync)
    func next() -> ReplayBatch? {
        hasFilled.wait()
        return state.withLock { $0.filled.isEmpty ? nil : $0.filled.removeFirst() }
    }

    /// Gives back what was worked on.
    func giveBack(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.done.append(batch) }
        hasDone.signal()
    }
}
