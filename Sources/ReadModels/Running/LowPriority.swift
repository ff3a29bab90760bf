internal import Glibc

/// Work that should take only what others leave.
package enum LowPriority {
    /// The least that a thread can ask for.
    private static let niceness: Int32 = 19

    /// Lowers the calling thread, and those that it starts from then on. It cannot be taken back.
    ///
    /// - Returns: false where the system refused; the work is done all the same.
    @discardableResult
    package static func begin() -> Bool {
        // On Linux this concerns a thread, not its process.
        setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) == 0
    }
}
