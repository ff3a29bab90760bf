/// A moment in microseconds since 1970-01-01T00:00:00Z. Callers pass the present moment in; nothing in this module reads a clock.
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

    /// The moment `seconds` later, or earlier if negative. If no `Instant` can represent that moment, the nearest `Instant` is returned.
    @inlinable
    public func advanced(bySeconds seconds: Int64) -> Instant {
        let (span, spanOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, sumOverflow) = microseconds.addingReportingOverflow(span)
        guard !spanOverflow, !sumOverflow else { return Instant(microseconds: seconds < 0 ? .min : .max) }
        return Instant(microseconds: sum)
    }
}

/// The rule that decides at which times a code or an offer is valid, and for how long a step can be taken back.
///
/// If a thing's start is in the future, the thing was made while the clock was fast. Such a thing is invalid until the clock comes within
/// ``Limits/clockLeadSeconds`` of that start. So if the clock was fast by hours and is correct after a restart, a thing is valid for at
/// most a minute too long. If the clock is corrected while the service runs, a thing is valid for at most a ninth too long, because
/// `ForwardClock` then runs at nine tenths of real time.
///
/// A campaign ends at a moment that a person named. The service's time is never behind the machine's time, so a campaign may end too early,
/// by as much as the clock is fast, but never too late.
enum Validity {
    /// Whether a thing that was made at `begin`, with an expiry at `end`, is valid at `now`.
    ///
    /// A `begin` in the future means that the clock was fast when the thing was made. After the clock was corrected, the thing is invalid.
    /// A `begin` up to ``Limits/clockLeadSeconds`` ahead is tolerated, so that a small correction of the clock has no effect.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}
