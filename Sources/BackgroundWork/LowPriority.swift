package import Glibc

/// Low scheduling priority, for work that should use only idle processor time; see also ``ShortPauses``.
package enum LowPriority {
    package static let niceness: Int32 = 19
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    package static let idlePolicy: Int32 = 5

    /// Lowers the priority of the calling thread, and of those that it starts, for good. Returns false if the system refused.
    ///
    /// It gets about a seventieth of a normal thread's time, but may finish its time slice of some milliseconds when one wakes up.
    @discardableResult
    package static func begin() -> Bool {
        // On Linux, `setpriority` with 0 applies to the calling thread, not to its process.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) == 0
    }

    /// Lowers the priority further than ``begin()``, for good. Returns false if the system refused a setting.
    ///
    /// On a busy machine the thread gets a three-hundredth of the time, so it must hold no lock while it computes.
    @discardableResult
    package static func beginIdle() -> Bool { setIdle(0) }

    /// Lowers the priority of another process with one thread, like ``beginIdle()``. Returns false if the system refused a setting.
    ///
    /// - Parameter process: a child for which `waitpid` has not returned.
    @discardableResult
    package static func setIdle(_ process: pid_t) -> Bool {
        var parameter = sched_param()
        // SAFETY: the call reads only the local variable whose address it gets.
        let isIdle = unsafe sched_setscheduler(process, idlePolicy, &parameter) == 0
        return setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(truncatingIfNeeded: process), niceness) == 0 && isIdle
    }

    package static var current: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
