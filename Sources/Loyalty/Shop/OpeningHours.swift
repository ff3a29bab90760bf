/// A shop's time zone and opening hours. They are public, so events store them unsealed.
public struct ShopSchedule: Hashable, Sendable {
    public static let defaultTimeZone = "Asia/Shanghai"

    /// An IANA name. The caller MUST know that the zone exists.
    public var timeZone: String
    /// `nil` if the shop names none; an empty list means never open.
    public var openingHours: [OpeningHours]?

    public init(timeZone: String = defaultTimeZone, openingHours: [OpeningHours]? = nil) {
        (self.timeZone, self.openingHours) = (timeZone, openingHours)
    }
}

/// Hours of the week, in the shop's local time.
public struct OpeningHours: Hashable, Sendable, WeeklyHours {
    public static let dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Monday to Sunday as bits 0 to 6.
    public let days: UInt8
    public let fromMinute: Int
    /// The exclusive end, 1 to 1,440; on the next day if less than ``fromMinute``.
    public let toMinute: Int

    public init(days: UInt8, fromMinute: Int, toMinute: Int) { (self.days, self.fromMinute, self.toMinute) = (days, fromMinute, toMinute) }

    public var weekdays: Weekdays { Weekdays(rawValue: days) }

    public func contains(_ time: LocalTime) -> Bool { isWithin(time) }

    public var names: [String] { weekdays.names }
}

private let dayMinutes = 1_440

protocol WeeklyHours {
    var weekdays: Weekdays { get }
    var fromMinute: Int { get }
    var toMinute: Int { get }
}

extension WeeklyHours {
    var hasDays: Bool { !weekdays.isEmpty && Weekdays.all.isSuperset(of: weekdays) }
    var hasTimes: Bool { (0..<dayMinutes).contains(fromMinute) && (1...dayMinutes).contains(toMinute) && fromMinute != toMinute }
    var isOvernight: Bool { toMinute <= fromMinute }

    /// An hour that a clock change skips never occurs, and a repeated hour occurs twice.
    func isWithin(_ time: LocalTime) -> Bool {
        guard isOvernight else { return weekdays.contains(day: time.day) && (fromMinute..<toMinute).contains(time.minute) }
        let yesterday = (time.day + 6) % 7
        return weekdays.contains(day: time.day) && time.minute >= fromMinute || weekdays.contains(day: yesterday) && time.minute < toMinute
    }

    /// Minutes of the week, perhaps beyond the end of Sunday.
    fileprivate var ranges: [Range<Int>] {
        let length = isOvernight ? toMinute + dayMinutes - fromMinute : toMinute - fromMinute
        return (0..<7).filter { weekdays.contains(day: $0) }.map { day in
            let begin = day * dayMinutes + fromMinute
            return begin..<begin + length
        }
    }
}

extension Array where Element: WeeklyHours {
    var areApart: Bool {
        let week = 7 * dayMinutes
        let ranges = flatMap(\.ranges)
        // A range beyond Sunday is also added a week earlier, to detect an overlap on Monday.
        let again = ranges.filter { $0.upperBound > week }.map { $0.lowerBound - week..<$0.upperBound - week }
        let sorted = (ranges + again).sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }
}

extension FieldChecks {
    mutating func require(_ schedule: ShopSchedule) {
        require(timeZone: schedule.timeZone)
        if let hours = schedule.openingHours { require(hours) }
    }

    /// Bounds the size of the event. The caller checks that the zone exists.
    mutating func require(timeZone: String) {
        require(Limits.timeZoneBytes.contains(timeZone.utf8.count), "timeZone", .characters(Limits.timeZoneBytes))
    }

    mutating func require(_ hours: [OpeningHours]) {
        require(hours.count <= Limits.openingHoursMax, "openingHours", .above(Limits.openingHoursMax))
        let arePossible = hours.allSatisfy { $0.hasDays && $0.hasTimes }
        require(arePossible, "openingHours", .openingHours)
        guard hours.count <= Limits.openingHoursMax, arePossible else { return }
        require(hours.areApart, "openingHours", .overlappingHours)
    }
}
