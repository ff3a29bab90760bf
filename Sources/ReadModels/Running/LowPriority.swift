internal import Glibc

/// Work that should take only what others leave.
package enum LowPriority {
    /// The least that a thread can ask for.
    package static let niceness: Int32 = 19
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    /// Lowers the calling thread, and those that it starts from then on. It cannot be taken back.
    ///
    /// - Returns: false where the system refused; the work is done all the same.
    @discardableResult
    package static func begin() -> Bool {
        // On Linux this concerns a thread, not its process.
        setpriority(thread, 0, niceness) == 0
    }

    /// The calling thread's niceness.
    package static var current: Int32 { getpriority(thread, 0) }
}
