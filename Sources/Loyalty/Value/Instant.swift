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

/// A day of the week and minute in a shop's local time.
public struct LocalTime: Hashable, Sendable {
    /// 0 for Monday to 6 for Sunday.
    public let day: Int
    public let minute: Int

    public init(day: Int, minute: Int) { (self.day, self.minute) = (day, minute) }

    /// - Parameter secondsAhead: how far the shop's clock is ahead of UTC at that moment.
    public init(of moment: Instant, secondsAhead: Int) {
        let seconds = Self.divided(Int(moment.microseconds), by: 1_000_000).quotient + secondsAhead
        let (day, second) = Self.divided(seconds, by: Int(Limits.daySeconds))
        // 1970-01-01 was a Thursday.
        self.init(day: Self.divided(day + 3, by: 7).rest, minute: second / 60)
    }

    /// With a remainder of 0 or more, for moments before 1970.
    private static func divided(_ number: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
