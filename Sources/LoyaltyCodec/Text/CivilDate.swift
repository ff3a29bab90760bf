public import Loyalty

/// A day of the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". Its years begin in March, so that the leap day is last.
struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    private static let daysPerEra = 146_097
    /// The days from 0000-03-01 to 1970-01-01.
    private static let epochOffset = 719_468

    /// Nil for a day that does not exist.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.length(of: month, in: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    init(daysSinceEpoch days: Int) {
        let shifted = days + Self.epochOffset
        let era = (shifted >= 0 ? shifted : shifted - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970-01-01.
    var daysSinceEpoch: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.epochOffset
    }

    private static func length(of month: Int, in year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }
}

/// A birthday such as `2001-02-28`, without a time zone.
public struct CalendarDay: Hashable, Comparable, Sendable {
    private static let microsecondsPerDay = 86_400_000_000

    private let daysSinceEpoch: Int

    /// - Returns: nil for text in another form, and for a day that does not exist.
    public init?(text: String) {
        guard var reader = RFC3339Reader(text), let date = reader.date(), reader.isAtEnd else { return nil }
        daysSinceEpoch = date.daysSinceEpoch
    }

    /// The day in UTC.
    public init(of moment: Instant) { daysSinceEpoch = Int(moment.microseconds).dividedDown(by: Self.microsecondsPerDay).quotient }

    public static func < (left: Self, right: Self) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }
}
