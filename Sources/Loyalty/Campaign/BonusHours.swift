/// Hours of the week, in the shop's local time, in which a code is worth a multiple of its stamps.
///
/// The time at which the code is issued decides, because the customer pays then. So keeping a code for a better hour is useless.
public struct BonusHours: Hashable, Sendable {
    /// The days on which the hours begin, Monday to Sunday as bits 0 to 6; at least one.
    public let days: Weekdays
    /// The minute of the day at which the hours begin, 0 to 1,439.
    public let fromMinute: Int
    /// The minute of the day at which the hours end, 1 to 1,440; the hours do not include this minute. If it is at most ``fromMinute``, the
    /// hours end on the next day.
    public let toMinute: Int
    /// The number by which the stamps of a code are multiplied.
    public let factor: Int

    public init(days: Weekdays, fromMinute: Int, toMinute: Int, factor: Int) {
        (self.days, self.fromMinute, self.toMinute, self.factor) = (days, fromMinute, toMinute, factor)
    }
}

/// A set of days of the week. Bit 0 is Monday, because weeks begin on Monday in ISO 8601.
public struct Weekdays: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// All seven days.
    public static let all = Weekdays(rawValue: 0x7F)

    /// The English names of the days in the set, from Monday on.
    public var names: [String] {
        OpeningHours.dayNames.enumerated().filter { contains(day: $0.offset) }.map(\.element)
    }

    /// Whether the set contains a day.
    ///
    /// - Parameter day: 0 for Monday to 6 for Sunday.
    public func contains(day: Int) -> Bool { rawValue >> UInt8(day) & 1 == 1 }
}

/// A moment in the local time of a shop: the day of the week and the minute.
public struct LocalTime: Hashable, Sendable {
    static let dayMinutes = 1_440

    /// The day of the week, 0 for Monday to 6 for Sunday.
    public let day: Int
    /// The minute of the day, 0 to 1,439.
    public let minute: Int

    public init(day: Int, minute: Int) {
        (self.day, self.minute) = (day, minute)
    }

    /// Creates the local time of a moment.
    ///
    /// - Parameter secondsAhead: how many seconds the shop's clock is ahead of UTC at that moment.
    public init(of moment: Instant, secondsAhead: Int) {
        let seconds = Self.divided(Int(moment.microseconds), by: 1_000_000).quotient + secondsAhead
        let (day, second) = Self.divided(seconds, by: Int(Limits.daySeconds))
        // 1970-01-01 was a Thursday.
        self.init(day: Self.divided(day + 3, by: 7).rest, minute: second / 60)
    }

    /// Divides with a remainder of 0 or more, so that a moment before 1970 also has a day and a minute.
    private static func divided(_ number: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

extension BonusHours {
    /// Whether the hours pass midnight and therefore end on the next day.
    private var isOvernight: Bool { toMinute <= fromMinute }

    /// Whether a local time is within these hours. An hour that a clock change skips does not occur; an hour that a clock change repeats
    /// occurs twice.
    public func contains(_ time: LocalTime) -> Bool {
        guard isOvernight else { return days.contains(day: time.day) && (fromMinute..<toMinute).contains(time.minute) }
        let yesterday = (time.day + 6) % 7
        return days.contains(day: time.day) && time.minute >= fromMinute || days.contains(day: yesterday) && time.minute < toMinute
    }

    /// The hours as ranges of minutes of the week. A range that passes the end of Sunday extends beyond the last minute of the week.
    fileprivate var ranges: [Range<Int>] {
        let length = isOvernight ? toMinute + LocalTime.dayMinutes - fromMinute : toMinute - fromMinute
        return (0..<7).filter { days.contains(day: $0) }.map { day in
            let begin = day * LocalTime.dayMinutes + fromMinute
            return begin..<begin + length
        }
    }

    fileprivate var fault: FieldFault? {
        guard !days.isEmpty, Weekdays.all.isSuperset(of: days) else { return .bonusDays }
        guard (0..<LocalTime.dayMinutes).contains(fromMinute), (1...LocalTime.dayMinutes).contains(toMinute), fromMinute != toMinute else {
            return .bonusTimes
        }
        return Limits.bonusFactor.contains(factor) ? nil : .bonusFactor(Limits.bonusFactor)
    }
}

extension [BonusHours] {
    /// The factor of a code that was issued at this local time; 1 outside of all bonus hours.
    public func factor(at time: LocalTime) -> Int { first { $0.contains(time) }?.factor ?? 1 }

    /// The highest factor; 1 without bonus hours.
    public var highestFactor: Int { map(\.factor).max() ?? 1 }

    /// The reason why a campaign cannot have these hours, or `nil`. Hours must not overlap, because it would be unclear which of two
    /// factors applies.
    public var fault: FieldFault? {
        guard count <= Limits.bonuses else { return .bonuses(max: Limits.bonuses) }
        for hours in self { if let fault = hours.fault { return fault } }
        let week = 7 * LocalTime.dayMinutes
        let ranges = flatMap(\.ranges)
        // Hours that pass the end of Sunday could overlap with hours on Monday. To detect this, their range is added a second time, a week
        // earlier.
        let again = ranges.filter { $0.upperBound > week }.map { $0.lowerBound - week..<$0.upperBound - week }
        let sorted = (ranges + again).sorted { $0.lowerBound < $1.lowerBound }
        let isApart = zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
        return isApart ? nil : .overlappingBonuses
    }
}
