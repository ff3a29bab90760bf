public import Loyalty

/// A day as people write their birthdays: `2001-02-28`, of the Gregorian calendar, in no time zone.
public struct CalendarDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    private let number: Int

    /// - Returns: nil for another form, and for a day that there never was.
    public init?(text: String) {
        var reader = RFC3339Reader(text)
        guard let date = reader.date(), reader.isAtEnd else { return nil }
        number = date.daysSinceEpoch
    }

    /// The day that it is in UTC at a moment.
    public init(of moment: Instant) {
        let (day, rest) = moment.microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
        number = Int(rest < 0 ? day - 1 : day)
    }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
