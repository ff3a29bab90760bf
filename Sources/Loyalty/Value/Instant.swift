/// A moment in microseconds since 1970-01-01T00:00:00Z. Handed in; nothing in this module reads a clock.
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

/// How long something works.
///
/// A code or redemption from the future was made while the clock was ahead, and is invalid until the clock has reached its time. An error
/// of hours that a restart corrects therefore extends a life by at most a minute. An error that is corrected while the service runs extends
/// it by a ninth, because told time then runs at nine tenths (`ForwardClock`). Campaigns end at a moment that a person named and told time
/// is never behind the machine's, so they may end early by the error, never late.
enum Validity {
    /// Whether something that was made at one moment and works until another works at `now`.
    ///
    /// A moment in the future means that the clock was ahead when the thing was made; it no longer works once the clock was corrected. So a
    /// clock that was wrong for hours extends a life by at most ``Limits/clockLeadSeconds``, by which a clock may be set back without any
    /// effect.
    static func holds(at now: Instant, from begin: Instant, until end: Instant) -> Bool {
        begin <= now.advanced(bySeconds: Limits.clockLeadSeconds) && now < end
    }
}
