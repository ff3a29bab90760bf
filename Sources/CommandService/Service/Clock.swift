import Glibc
public import Loyalty

/// Where the service takes its time from; handed in, so that a run can be repeated to the same bytes.
public protocol Clock: Sendable {
    /// The present moment. May go backwards; the service sees to it that its own time does not.
    func now() -> Instant
}

/// The machine's wall clock.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Instant {
        var time = timespec()
        // SAFETY: clock_gettime writes into the one local that it is handed.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
