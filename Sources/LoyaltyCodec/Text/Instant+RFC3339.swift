public import Loyalty

extension Instant {
    private static let microsecondsPerSecond = 1_000_000
    private static let secondsPerDay = 86_400

    /// The moment in UTC with milliseconds, rounded down: `2026-11-21T09:00:00.123Z` (RFC 3339).
    ///
    /// RFC 3339 ends with the year 9999. Later years come out with more digits, years before 0 with a sign, so that every
    /// stored moment can be shown.
    public var rfc3339: String {
        let (seconds, fraction) = Int(microseconds).dividedDown(by: Self.microsecondsPerSecond)
        let (days, time) = seconds.dividedDown(by: Self.secondsPerDay)
        let date = CivilDate(daysSinceEpoch: days)
        var text = RFC3339Writer()
        text.append(date.year, width: 4, then: "-")
        text.append(date.month, width: 2, then: "-")
        text.append(date.day, width: 2, then: "T")
        text.append(time / 3_600, width: 2, then: ":")
        text.append(time / 60 % 60, width: 2, then: ":")
        text.append(time % 60, width: 2, then: ".")
        text.append(fraction / 1_000, width: 3, then: "Z")
        return text.string
    }

    /// The same with all six digits of the stored microseconds: `2026-11-21T09:00:00.123456Z`.
    package var rfc3339Exact: String {
        let digits = String(Int(microseconds).dividedDown(by: 1_000).remainder)
        return rfc3339.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// Reads an RFC 3339 date-time: upper-case `T`, `Z` or an offset `±hh:mm`, none or 1 to 6 digits after the second.
    ///
    /// Nil for anything else, for a date that no calendar has, and for a leap second, which this clock cannot name. The
    /// offset is applied and forgotten.
    public init?(rfc3339 text: String) {
        var reader = RFC3339Reader(text)
        guard let date = reader.date(), reader.skip("T"), let time = reader.time(), let offset = reader.offset() else { return nil }
        guard reader.isAtEnd else { return nil }
        let seconds = date.daysSinceEpoch * Self.secondsPerDay + time.seconds - offset
        self.init(microseconds: Int64(seconds * Self.microsecondsPerSecond + time.microseconds))
    }
}

extension Int {
    /// The quotient rounded towards minus infinity and what remains, never negative; `divisor` is positive.
    fileprivate func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
