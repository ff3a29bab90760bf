internal import Glibc

/// Low scheduling priority, for work that should use only idle processor time.
package enum LowPriority {
    /// The highest niceness, which is the lowest priority, of a thread.
    package static let niceness: Int32 = 19
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    private static let idlePolicy: Int32 = 5
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    /// Lowers the priority of the calling thread, and of the threads that it starts afterwards. This cannot be undone.
    ///
    /// A thread of this priority gets about a seventieth of the processor time of a normal thread. When a normal thread wakes up, this
    /// thread may first finish its time slice of some milliseconds.
    ///
    /// - Returns: false if the system refused; the thread then continues at its present priority.
    @discardableResult
    package static func begin() -> Bool {
        // On Linux, `setpriority` with 0 applies to the calling thread, not to its process.
        setpriority(thread, 0, niceness) == 0
    }

    /// Lowers the priority of the calling thread, and of the threads that it starts afterwards, further than ``begin()``. This cannot be
    /// undone.
    ///
    /// When a normal thread wakes up, it gets the processor of such a thread at once. While normal threads use all processors, such a
    /// thread gets about a three-hundredth of the time. So use it only for work that holds no lock while it computes, because all threads
    /// that need the lock would wait as long.
    ///
    /// - Returns: false if the system refused one of the two settings; the thread can continue.
    @discardableResult
    package static func beginIdle() -> Bool {
        var parameter = sched_param()
        // SAFETY: the call reads only the local variable whose address it gets.
        let isIdle = unsafe sched_setscheduler(0, idlePolicy, &parameter) == 0
        return begin() && isIdle
    }

    /// The calling thread's niceness.
    package static var current: Int32 { getpriority(thread, 0) }
}
