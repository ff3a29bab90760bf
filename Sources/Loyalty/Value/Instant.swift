/// A moment in microseconds since 1970-01-01T00:00:00Z. Nothing in this module reads a clock.
public struct Instant: Hashable, Comparable, Sendable {
    public let microseconds: Int64

    @inlinable
    public init(microseconds: Int64) { self.microseconds = microseconds }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at the first and last `Instant`.
    @inlinable
    public func advanced(bySeconds seconds: Int64) -> Instant {
        let (span, spanOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, sumOverflow) = microseconds.addingReportingOverflow(span)
        guard !spanOverflow, !sumOverflow else { return Instant(microseconds: seconds < 0 ? .min : .max) }
        return Instant(microseconds: sum)
    }
}

/// Decides when a code or an offer is valid, and for how long a step can be taken back.
///
/// A thing in the future was made by a fast clock, and is invalid until ``Limits/clockLeadSeconds`` before its start. So it is valid for at
/// most a minute too long after a restart, or a ninth too long while the service runs (see `ForwardClock`).
enum Validity {
    /// A `begin` slightly in the future is valid, so that a small correction of the clock has no effect.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}
