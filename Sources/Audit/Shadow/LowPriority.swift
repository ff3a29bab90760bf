internal import Glibc

/// Lets everything else go first.
enum LowPriority {
    /// The least that there is.
    static let niceness: Int32 = 19
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    /// Of this thread, and of those that it starts. On Linux niceness belongs to a thread, and 0 names the calling one.
    static func begin() {
        // A refusal costs politeness and nothing else; lowering is never refused.
        _ = setpriority(thread, 0, niceness)
    }

    /// The calling thread's niceness.
    static var current: Int32 { getpriority(thread, 0) }
}
