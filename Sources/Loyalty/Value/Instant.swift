/// A moment in microseconds since 1970-01-01T00:00:00Z. Callers pass it in; nothing in this module reads a clock.
public struct Instant: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The moment `seconds` later; saturates at the end of time rather than trapping.
    @inlinable
    public func advanced(bySeconds seconds: Int64) -> Instant {
        let (span, spanOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, sumOverflow) = microseconds.addingReportingOverflow(span)
        guard !spanOverflow, !sumOverflow else { return Instant(microseconds: seconds < 0 ? .min : .max) }
        return Instant(microseconds: sum)
    }
}

/// The validity of codes, offers and sessions in time.
///
/// A thing whose start is in the future was made while the clock was ahead, and is invalid until the clock reaches that start. So a clock
/// error of hours that a restart corrects extends a validity by at most a minute. If the service corrects the error while it runs, a
/// validity grows by at most a ninth, because `ForwardClock` then runs at nine tenths of real time. Campaigns end at a moment that a person
/// named, and the service's time is never behind the machine's. So they may end early by the error, never late.
enum Validity {
    /// Whether something that was made at `begin` and is valid until `end` is valid at `now`.
    ///
    /// A `begin` in the future means that the clock was ahead when the thing was made; once the clock is corrected, the thing is invalid. A
    /// `begin` up to ``Limits/clockLeadSeconds`` ahead is tolerated, so that a small correction of the clock has no effect.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}
