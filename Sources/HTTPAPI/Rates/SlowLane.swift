import Dispatch

/// Runs the requests of clients that looked at many rows lately, one step at a time on a thread of its own.
///
/// There are as many threads of tasks as processors. Clients that read all the time would occupy all of them, and every other request would
/// wait for a read of milliseconds. Here they wait for each other. A request in the lane holds the thread only while it computes.
///
/// The thread has the usual priority, because a step may hold a lock that other requests need.
final class SlowLane: TaskExecutor {
    private static let mark = DispatchSpecificKey<Bool>()

    private let thread = DispatchQueue(label: "greentea.slow-lane")

    init() { thread.setSpecific(key: Self.mark, value: true) }

    /// Whether the calling code runs in a lane.
    static var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Runs a step of a task after all steps that were enqueued before. A step ends when its task ends or waits.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: each job runs exactly once, and the closure keeps this executor meanwhile.
        thread.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
