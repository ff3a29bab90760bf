internal import Dispatch
internal import Foundation
internal import Synchronization

/// A ``CommitPipeline`` behind a lock, with the semaphores on which its two threads sleep.
final class PipelineGate<Request: Sendable, Answer: Sendable>: Sendable {
    typealias Pipeline = CommitPipeline<Request, Answer>

    private let pipeline: Mutex<Pipeline>
    private let deciderWake = DispatchSemaphore(value: 0)
    private let committerWake = DispatchSemaphore(value: 0)

    init(queueLimit: Int, batchMax: Int, confirmsAnswers: Bool) {
        pipeline = Mutex(Pipeline(queueLimit: queueLimit, batchMax: batchMax, confirmsAnswers: confirmsAnswers))
    }

    var depth: Int { pipeline.withLock { $0.depth } }

    /// Returns the reason for a refusal, if any.
    func offer(_ waiter: Pipeline.Waiter) -> GroupCommitRefusal? {
        switch pipeline.withLock({ $0.offer(waiter) }) {
        case .taken(let wakesDecider):
            if wakesDecider { deciderWake.signal() }
            return nil
        case .refused(let refusal): return refusal
        }
    }

    func stop() { if pipeline.withLock({ $0.stop() }) { deciderWake.signal() } }

    /// Blocks until there is a step; never returns ``CommitPipeline/DeciderStep/sleep``.
    func nextForDecider() -> Pipeline.DeciderStep {
        while true {
            let step = pipeline.withLock { $0.nextForDecider() }
            switch step {
            case .work: return step
            case .sleep:
                deciderWake.wait()
                // Lets threads that are about to offer a request run first, so that one round serves them all.
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

    /// The decider is about to wait for a flush of everything that it has handed over.
    func demandFlush() { if pipeline.withLock({ $0.demandFlush() }) { committerWake.signal() } }

    /// Blocks until there is a step; never returns ``CommitPipeline/CommitterStep/sleep``.
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

    /// Returns the requests to refuse; nil if the pipeline had failed before.
    func fail() -> [Pipeline.Resume]? {
        guard let (refusing, wakesDecider) = pipeline.withLock({ $0.fail() }) else { return nil }
        if wakesDecider { deciderWake.signal() }
        return refusing
    }
}
