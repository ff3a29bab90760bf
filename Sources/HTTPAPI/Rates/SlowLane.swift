import Caches
import CommandService
import Foundation

/// Runs requests of clients that looked at many rows lately, one step at a time on its own thread, by turns of addresses and accounts. On
/// the shared threads, such clients would make every other request wait. A request holds the thread only while it computes.
///
/// After each step the thread rests, so the lane takes a quarter of a processor. It has the usual priority and never rests within a step,
/// because a step may hold a lock that others need.
final class SlowLane: Sendable {
    /// The steps of one request, under its client's name. Any thread may enqueue.
    private final class Steps: TaskExecutor {
        private let thread: FairThread
        private let share: PoolShare

        init(_ thread: FairThread, _ share: PoolShare) { (self.thread, self.share) = (thread, share) }

        /// A step ends when its task ends or waits.
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

    static var isHere: Bool { FairThread.isHere(label) }

    var waiting: Int { thread.waitingCount }

    /// - Throws: `overloaded` if the client has its part of the lane; an error of the work.
    func run<Result: Sendable>(_ work: @concurrent () async throws -> Result) async throws -> Result {
        let share = PoolClient.share
        let slot = try slots.take(as: share)
        defer { slot.giveBack() }
        return try await withTaskExecutorPreference(Steps(thread, share)) { try await work() }
    }
}
