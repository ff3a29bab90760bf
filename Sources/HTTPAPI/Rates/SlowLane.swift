import Caches
import CommandService
import Foundation

/// Runs the requests of clients that looked at many rows lately, one step at a time on a thread of its own.
///
/// There are as many threads of tasks as processors. Clients that read all the time would occupy all of them, and every other request would
/// wait for a read of milliseconds. Here they wait for each other, in turns of addresses and accounts. A request in the lane holds the
/// thread only while it computes. An account and an address have a part of the lane.
///
/// After each step the thread rests, so that the lane takes a quarter of one processor, and the others are for everybody else. It has the
/// usual priority and rests only between steps, because a step may hold a lock that other requests need.
final class SlowLane: Sendable {
    /// Enqueues the steps of one request under its client's name. Steps may be enqueued by any thread.
    private final class Steps: TaskExecutor {
        private let thread: FairThread
        private let share: PoolShare

        init(_ thread: FairThread, _ share: PoolShare) { (self.thread, self.share) = (thread, share) }

        /// Runs a step of a task when it is the client's turn. A step ends when its task ends or waits.
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            // SAFETY: each job runs exactly once, and the closure keeps this executor meanwhile.
            thread.async(as: share) {
                let duration = ContinuousClock().measure { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
                Thread.sleep(forTimeInterval: duration * Limits.slowLaneRest / .seconds(1))
            }
        }
    }

    private static let label = "greentea.slow-lane"

    private let slots: Slots
    private let thread = FairThread(SlowLane.label, .laneThread)

    init(clock: any Clock) { slots = Slots(Pools.slowLane.terms, clock: clock) }

    /// Whether the calling code runs in a lane.
    static var isHere: Bool { FairThread.isHere(label) }

    /// The steps that wait for their turn.
    var waiting: Int { thread.waitingCount }

    /// Runs work of the current task's client in the lane.
    ///
    /// - Throws: `overloaded` if the client has its part of the lane; an error of the work.
    func run<Result: Sendable>(_ work: @concurrent () async throws -> Result) async throws -> Result {
        let share = PoolClient.share
        let slot = try slots.take(as: share)
        defer { slot.giveBack() }
        return try await withTaskExecutorPreference(Steps(thread, share)) { try await work() }
    }
}
