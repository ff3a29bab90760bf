package import Glibc

/// Low scheduling priority, for work that should use only idle processor time.
///
/// A low priority alone does not keep other work fast while it lasts. See ``ShortPauses``, which work on pictures and passwords uses.
package enum LowPriority {
    /// The highest niceness, which is the lowest priority, of a thread.
    package static let niceness: Int32 = 19
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    package static let idlePolicy: Int32 = 5

    /// Lowers the priority of the calling thread, and of the threads that it starts afterwards. This cannot be undone.
    ///
    /// A thread of this priority gets about a seventieth of the processor time of a normal thread. When a normal thread wakes up, this
    /// thread may first finish its time slice of some milliseconds.
    ///
    /// - Returns: false if the system refused; the thread then continues at its present priority.
    @discardableResult
    package static func begin() -> Bool {
        // On Linux, `setpriority` with 0 applies to the calling thread, not to its process.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) == 0
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
    package static func beginIdle() -> Bool { setIdle(0) }

    /// Lowers the priority of another process with one thread as far as ``beginIdle()`` lowers that of the calling thread.
    ///
    /// - Parameter process: a child for which `waitpid` has not returned.
    /// - Returns: false if the system refused one of the two settings; the process then continues at a higher priority.
    @discardableResult
    package static func setIdle(_ process: pid_t) -> Bool {
        var parameter = sched_param()
        // SAFETY: the call reads only the local variable whose address it gets.
        let isIdle = unsafe sched_setscheduler(process, idlePolicy, &parameter) == 0
        return setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(truncatingIfNeeded: process), niceness) == 0 && isIdle
    }

    /// The calling thread's niceness.
    package static var current: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
