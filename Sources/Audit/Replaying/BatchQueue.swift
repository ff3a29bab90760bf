internal import EventLog
internal import Synchronization

/// Batches between the thread that reads the log and the one that folds half of the models: a few, so that neither waits long.
final class BatchQueue: Sendable {
    private static let batches = 4

    private struct State {
        var free = Array(repeating: ReplayBatch(), count: batches)
        var filled: [ReplayBatch] = []
    }

    private let state = Mutex(State())
    private let hasFree = ThreadSemaphore()
    /// Once more than there are filled ones when no more will come.
    private let hasFilled = ThreadSemaphore()

    init() {
        for _ in 0..<Self.batches { hasFree.signal() }
    }

    /// An empty batch; waits until there is one.
    @available(*, noasync)
    func empty() -> ReplayBatch {
        hasFree.wait()
        return state.withLock { $0.free.removeLast() }
    }

    func put(_ batch: consuming ReplayBatch) {
        state.withLock { [batch] state in state.filled.append(batch) }
        hasFilled.signal()
    }

    /// No more will come.
    func close() { hasFilled.signal() }

    /// The next batch; waits for it. Nil when no more will come.
    @available(*, noasync)
    func next() -> ReplayBatch? {
        hasFilled.wait()
        return state.withLock { $0.filled.isEmpty ? nil : $0.filled.removeFirst() }
    }

    /// Takes back what was worked off.
    func giveBack(_ batch: consuming ReplayBatch) {
        batch.removeAll()
        state.withLock { [batch] state in state.free.append(batch) }
        hasFree.signal()
    }
}
