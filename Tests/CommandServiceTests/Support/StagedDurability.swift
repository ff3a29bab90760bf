import Dispatch
import EventLog
import Patience
import Synchronization
import Testing

/// The local commit with a door in front of it and faults on demand: what a disk or a replicated log may do.
final class StagedDurability: BatchDurability {
    /// When a commit fails: the two sides of "the outcome is unknown".
    enum Fault: CaseIterable {
        case beforeCommit
        case afterCommit
    }

    /// Guarded by `state`.
    private struct State {
        var isShut = false
        var isSomebodyAtTheDoor = false
        var fault: Fault?
        var batches: [Int] = []
    }

    private let state = Mutex(State())
    private let door = DispatchSemaphore(value: 0)

    /// Events of each batch that came, in order.
    var batches: [Int] { state.withLock { $0.batches } }

    /// Lets the writer come as far as the commit and no further.
    func shut() { state.withLock { $0.isShut = true } }

    func open() {
        let mustWake = state.withLock { state in
            state.isShut = false
            defer { state.isSomebodyAtTheDoor = false }
            return state.isSomebodyAtTheDoor
        }
        if mustWake { door.signal() }
    }

    /// The next commit fails.
    func fail(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// Waits until the writer stands before the shut door.
    func writerArrived() async throws {
        try await eventually("the writer is at the door") { self.state.withLock { $0.isSomebodyAtTheDoor } }
    }

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        try waitAtTheDoor()
        let fault = state.withLock { state in
            state.batches.append(batch.count)
            return state.fault
        }
        if fault == .beforeCommit { throw EventLogError(.io, "the disk is gone") }
        try commitLocally(batch)
        if fault == .afterCommit { throw EventLogError(.io, "the answer is gone") }
    }

    /// Not for ever: a test that failed meanwhile opens no door, and its service must still be closed.
    private func waitAtTheDoor() throws(EventLogError) {
        let mustWait = state.withLock { state in
            state.isSomebodyAtTheDoor = state.isShut
            return state.isShut
        }
        if mustWait, door.wait(timeout: .now() + 900) == .timedOut { throw EventLogError(.io, "nobody opened the door") }
    }
}
