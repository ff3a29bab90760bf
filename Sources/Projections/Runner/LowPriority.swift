internal import Glibc

/// Low scheduling priority, for work that should use only idle processor time.
package enum LowPriority {
    /// The lowest priority of a thread.
    package static let niceness: Int32 = 19
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    private static let idlePolicy: Int32 = 5
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    /// Lowers the priority of the calling thread, and of the threads that it starts afterwards. This cannot be undone.
    ///
    /// - Parameter niceness: from 1 to 19. At 10 a thread gets about a tenth of the usual share, at 19 about a seventieth.
    /// - Returns: false if the system refused; the work is done all the same.
    @discardableResult
    package static func begin(niceness: Int32 = Self.niceness) -> Bool {
        // On Linux this applies to the thread, not to its process.
        setpriority(thread, 0, niceness) == 0
    }

    /// Lowers the priority of the whole program. Call it before the program starts a thread. Any other thread that wakes up then preempts
    /// it at once. A thread that is merely nice may keep the processor for some milliseconds, which slows a server on few cores.
    ///
    /// Do not use it for a thread of a server: other threads would wait for every lock that it holds.
    ///
    /// - Returns: false if the system refused one of the two settings; the work is done all the same.
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
