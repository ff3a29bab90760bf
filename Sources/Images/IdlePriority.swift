internal import CGD
internal import Foundation

/// The lowest scheduling priority, for processes that handle pictures: they get only processor time that nothing else needs.
enum IdlePriority {
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    private static let policy: Int32 = 5

    /// Lowers the priority of a process. If the system refuses, the process does its work at its present priority.
    ///
    /// - Parameter process: a child that has not been waited for, or 0 for the calling process.
    static func take(_ process: pid_t) {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(truncatingIfNeeded: process), ImageLimits.childNiceness)
        // When the server wakes up, a nice process may still finish its time slice of some milliseconds; an idle one is preempted at once.
        var parameter = sched_param()
        // SAFETY: the call reads only the local variable that it is passed.
        _ = unsafe sched_setscheduler(process, policy, &parameter)
    }
}
