public import Loyalty

/// A clock by which a reader of a log forgets what is over for good.
///
/// The newest event's time does not suffice, because the machine's clock may have been ahead. ``earliest`` is the earliest event time of
/// the last days, counted from event to event, where a step ahead counts at most an hour and a step back nothing. So it follows a clock
/// that was set ahead only after a day and a half, when all that was valid for a day is over.
public struct LogClock: Sendable {
    /// An hour in microseconds.
    private static let stepMax: Int64 = 3_600_000_000
    /// A day, for which codes and reversals are possible, and half a day more, so that twelve steps ahead do no harm.
    private static let period = 36 * stepMax

    private var last: Int64?
    /// Counted microseconds since the period began.
    private var passed: Int64 = 0
    private var earliestHere = Int64.max
    /// In the first period, nothing is past for good.
    private var earliestBefore = Int64.min

    public init() {}

    public var earliest: Instant { Instant(microseconds: min(earliestHere, earliestBefore)) }

    /// Takes the time of the log's next event.
    public mutating func note(_ time: Instant) {
        let now = time.microseconds
        if let last, now > last {
            let (step, isBeyond) = now.subtractingReportingOverflow(last)
            passed += isBeyond ? Self.stepMax : min(step, Self.stepMax)
        }
        last = now
        if passed >= Self.period { (earliestBefore, earliestHere, passed) = (earliestHere, .max, 0) }
        earliestHere = min(earliestHere, now)
    }
}
