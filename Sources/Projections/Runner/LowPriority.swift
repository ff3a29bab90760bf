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
    /// - Parameter niceness: from 1 to 19. A thread of niceness 10 gets about a tenth of the processor time of a normal thread, and a
    ///   thread of niceness 19 about a seventieth.
    /// - Returns: false if the system refused; the thread then continues at its present priority.
    @discardableResult
    package static func begin(niceness: Int32 = Self.niceness) -> Bool {
        // On Linux, `setpriority` with 0 applies to the calling thread, not to its process.
        setpriority(thread, 0, niceness) == 0
    }

    /// Lowers the priority of the whole program. Call it before the program starts a thread. Afterwards, a thread of another program gets
    /// the processor as soon as it wakes up. If only the niceness were raised, this program's threads could keep the processor for some
    /// more milliseconds, which slows a server on few cores.
    ///
    /// Do not use it in a server: a low-priority thread could have a lock, and all threads that need the lock would wait.
    ///
    /// - Returns: false if the system refused one of the two settings; the program can continue.
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
