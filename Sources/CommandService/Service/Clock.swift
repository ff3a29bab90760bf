import Glibc
public import Loyalty

/// Where the service takes its time from; handed in, so that a run can be repeated to the same bytes.
public protocol Clock: Sendable {
    /// The present moment, as events and tokens carry it. May go backwards; the service sees to it that its own time does not.
    func now() -> Instant

    /// How long it has been since some beginning of this process's or this machine's. Nobody sets it: for whatever lives in memory and
    /// is to end after a while. Only differences mean anything. MUST not go backwards, and MUST go on when ``now()`` does.
    func steady() -> Instant
}

/// The machine's clocks.
public struct SystemClock: Clock {
    public init() {}

    public func now() -> Instant { Self.read(CLOCK_REALTIME) }

    /// Goes on while the machine sleeps.
    public func steady() -> Instant { Self.read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        // SAFETY: clock_gettime writes into the one local that it is handed.
        unsafe clock_gettime(clock, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
