import Dispatch
import EventLog
import Patience
import Synchronization
import Testing

/// A commit that tests can block and make fail, to simulate a disk or a replicated log. It is a local one, or goes around another step.
final class StagedDurability: BatchDurability {
    /// The points at which a commit can fail with an unknown outcome.
    enum Fault: CaseIterable {
        case beforeCommit
        /// After the shared log has the batch, before the local one has it; without a shared log, before the commit.
        case betweenCommits
        case afterCommit
    }

    /// The mutex `state` guards these fields.
    private struct State {
        var isShut = false
        var isSomebodyAtTheDoor = false
        var fault: Fault?
        var batches: [Int] = []
        var inner: any BatchDurability = LocalCommit()
    }

    private let state = Mutex(State())
    private let door = DispatchSemaphore(value: 0)

    /// The number of events in each batch, in the order of the batches.
    var batches: [Int] { state.withLock { $0.batches } }

    /// Puts this step around another one, before the log is opened with it.
    func around(_ inner: any BatchDurability) -> StagedDurability {
        state.withLock { $0.inner = inner }
        return self
    }

    var isShared: Bool { state.withLock { $0.inner }.isShared }

    func confirm() throws(EventLogError) { try state.withLock { $0.inner }.confirm() }

    /// Blocks the writer at its next commit.
    func shut() { state.withLock { $0.isShut = true } }

    func open() {
        let mustWake = state.withLock { state in
            state.isShut = false
            defer { state.isSomebodyAtTheDoor = false }
            return state.isSomebodyAtTheDoor
        }
        if mustWake { door.signal() }
    }

    /// Makes the next commit fail.
    func fail(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// Waits until ``shut()`` has blocked the writer.
    func writerArrived() async throws {
        try await eventually("the writer has reached the closed gate") { self.state.withLock { $0.isSomebodyAtTheDoor } }
    }

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        try waitAtTheDoor()
        let (fault, inner) = state.withLock { state in
            state.batches.append(batch.count)
            return (state.fault, state.inner)
        }
        if fault == .beforeCommit { throw EventLogError(.io, "the disk is gone") }
        try inner.makeDurable(batch) { (batch) throws(EventLogError) in
            if fault == .betweenCommits { throw EventLogError(.io, "the disk is gone") }
            try commitLocally(batch)
        }
        if fault == .afterCommit { throw EventLogError(.io, "the answer is gone") }
    }

    /// Blocks while the gate is shut, up to a timeout. A failed test never opens the gate, and its service must still be closed.
    private func waitAtTheDoor() throws(EventLogError) {
        let mustWait = state.withLock { state in
            state.isSomebodyAtTheDoor = state.isShut
            return state.isShut
        }
        if mustWait, door.wait(timeout: .now() + 900) == .timedOut { throw EventLogError(.io, "nobody opened the door") }
    }
}
