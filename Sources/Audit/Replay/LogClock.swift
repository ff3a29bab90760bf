public import Loyalty

/// A clock that tells a reader of a log which moments are past for good. The reader can then forget the things that were over by then.
///
/// The time of the newest event does not tell it: if the machine's clock was ahead, later events have earlier times, and things that seemed
/// to be over are valid again. So ``earliest`` is the earliest time of the events of the last days. These days are counted by the time that
/// passes from one event to the next, where a step ahead counts as an hour at most, and a step back as nothing.
///
/// After the machine's clock was set ahead, ``earliest`` stays a time from before for a day and a half, and follows the wrong clock only
/// then. By that time, everything is over that was made before and is valid for a day. Imported events have times in the past, and hold
/// ``earliest`` back in the same way.
public struct LogClock: Sendable {
    /// The largest number of microseconds that one event counts: an hour.
    private static let stepMax: Int64 = 3_600_000_000
    /// The number of counted microseconds in a period: a day, for which codes can be used and stamps reversed, and half a day more, so that
    /// twelve steps ahead do no harm.
    private static let period = 36 * stepMax

    private var last: Int64?
    /// Microseconds counted since the period began.
    private var passed: Int64 = 0
    /// The earliest time of an event in this period.
    private var earliestHere = Int64.max
    /// The earliest time of an event in the period before. In the first period, nothing is past for good.
    private var earliestBefore = Int64.min

    public init() {}

    /// The earliest time of the events in this period and the one before it, which are at least the last day and a half.
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
