internal import Dispatch
internal import Foundation
internal import Synchronization

/// A ``CommitPipeline`` behind a lock, with the semaphores on which its two threads sleep.
final class PipelineGate<Request: Sendable, Answer: Sendable>: Sendable {
    typealias Pipeline = CommitPipeline<Request, Answer>

    private let pipeline: Mutex<Pipeline>
    private let deciderWake = DispatchSemaphore(value: 0)
    private let committerWake = DispatchSemaphore(value: 0)

    init(queueLimit: Int, batchMax: Int) {
        pipeline = Mutex(Pipeline(queueLimit: queueLimit, batchMax: batchMax))
    }

    var depth: Int { pipeline.withLock { $0.depth } }

    /// Offers a request.
    ///
    /// - Returns: the reason for a refusal; nil if the request was accepted.
    func offer(_ waiter: Pipeline.Waiter) -> GroupCommitRefusal? {
        switch pipeline.withLock({ $0.offer(waiter) }) {
        case .taken(let wakesDecider):
            if wakesDecider { deciderWake.signal() }
            return nil
        case .refused(let refusal): return refusal
        }
    }

    func stop() {
        if pipeline.withLock({ $0.stop() }) { deciderWake.signal() }
    }

    /// Blocks until the decider has a next step, and returns it; never ``CommitPipeline/DeciderStep/sleep``.
    func nextForDecider() -> Pipeline.DeciderStep {
        while true {
            let step = pipeline.withLock { $0.nextForDecider() }
            switch step {
            case .work: return step
            case .sleep:
                deciderWake.wait()
                // This call lets threads that are about to offer a request run first, so that one round serves all of them without a
                // wake-up for each.
                sched_yield()
            case .end(_, let wakesCommitter):
                if wakesCommitter { committerWake.signal() }
                return step
            }
        }
    }

    func handOver(_ round: Pipeline.Sealed) -> Pipeline.Handover {
        let handover = pipeline.withLock { $0.handOver(round) }
        if handover == .taken(wakesCommitter: true) { committerWake.signal() }
        return handover
    }

    /// Demands a flush of everything that the decider has handed over, because the decider is about to wait for that flush.
    func demandFlush() {
        if pipeline.withLock({ $0.demandFlush() }) { committerWake.signal() }
    }

    /// Blocks until the committer has a next step, and returns it; never ``CommitPipeline/CommitterStep/sleep``.
    func nextForCommitter() -> Pipeline.CommitterStep {
        while true {
            let step = pipeline.withLock { $0.nextForCommitter() }
            switch step {
            case .commit(_, let wakesDecider):
                if wakesDecider { deciderWake.signal() }
                return step
            case .sleep: committerWake.wait()
            case .end: return step
            }
        }
    }

    /// Ends the pipeline after a fatal failure, such as a failed commit.
    ///
    /// - Returns: the requests to refuse; nil if the pipeline had failed before.
    func fail() -> [Pipeline.Resume]? {
        guard let (refusing, wakesDecider) = pipeline.withLock({ $0.fail() }) else { return nil }
        if wakesDecider { deciderWake.signal() }
        return refusing
    }
}
