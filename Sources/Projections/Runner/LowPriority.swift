internal import Glibc

/// Work that should take only what others leave.
package enum LowPriority {
    /// The least that a thread can ask for.
    package static let niceness: Int32 = 19
    /// `SCHED_IDLE` of `<linux/sched.h>`, which the C library hides.
    private static let idlePolicy: Int32 = 5
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    /// Lowers the calling thread, and those that it starts from then on. It cannot be taken back.
    ///
    /// - Parameter niceness: from 1 to 19; a thread has a tenth of the usual share at 10, and a hundredth at 19.
    /// - Returns: false where the system refused; the work is done all the same.
    @discardableResult
    package static func begin(niceness: Int32 = Self.niceness) -> Bool {
        // On Linux this concerns a thread, not its process.
        setpriority(thread, 0, niceness) == 0
    }

    /// The same for a whole program, called before it starts a thread. Any other thread that wakes up then preempts it at once; a merely
    /// nice thread may keep the processor for some milliseconds, which a server on few cores feels.
    ///
    /// Do not use it for a thread of a server: other threads would wait for every lock that it holds.
    ///
    /// - Returns: false if the system refused one of the two settings; the work is done all the same.
    @discardableResult
    package static func beginIdle() -> Bool {
        var parameter = sched_param()
        // SAFETY: the call reads the one local that it is handed.
        let isIdle = unsafe sched_setscheduler(0, idlePolicy, &parameter) == 0
        return begin() && isIdle
    }

    /// The calling thread's niceness.
    package static var current: Int32 { getpriority(thread, 0) }
}
