/// The time zone and the opening hours of a shop. They are public, so events store them unsealed.
public struct ShopSchedule: Hashable, Sendable {
    /// The time zone of shops that name no time zone.
    public static let defaultTimeZone = "Asia/Shanghai"

    /// The IANA name of the shop's time zone. The caller MUST know that the zone exists.
    public var timeZone: String
    /// The weekly hours in the shop's own time; `nil` if the shop names none. An empty list means that the shop is never open.
    public var openingHours: [OpeningHours]?

    public init(timeZone: String = defaultTimeZone, openingHours: [OpeningHours]? = nil) {
        (self.timeZone, self.openingHours) = (timeZone, openingHours)
    }
}

/// Hours of the week in which a shop is open, in its local time.
public struct OpeningHours: Hashable, Sendable {
    /// The names of the days, from Monday on, in lower-case English.
    public static let dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    static let dayMinutes = 1_440

    /// The days on which the hours begin, Monday to Sunday as bits 0 to 6; at least one.
    public let days: UInt8
    /// The minute of the day at which the hours begin, 0 to 1,439.
    public let fromMinute: Int
    /// The minute of the day at which the hours end, 1 to 1,440; this minute itself is outside. If it is less than ``fromMinute``, it is on
    /// the next day.
    public let toMinute: Int

    public init(days: UInt8, fromMinute: Int, toMinute: Int) {
        (self.days, self.fromMinute, self.toMinute) = (days, fromMinute, toMinute)
    }

    /// The English names of the days on which the hours begin, from Monday on.
    public var names: [String] {
        Self.dayNames.enumerated().filter { days >> UInt8($0.offset) & 1 == 1 }.map(\.element)
    }

    /// Whether the hours have valid days and minutes, and do not begin and end at the same minute.
    fileprivate var isPossible: Bool {
        days != 0 && days < 128 && (0..<Self.dayMinutes).contains(fromMinute) && (1...Self.dayMinutes).contains(toMinute)
            && fromMinute != toMinute
    }

    /// The hours as ranges of minutes of the week. A range that passes the end of Sunday extends beyond the last minute of the week.
    fileprivate var ranges: [Range<Int>] {
        let length = toMinute > fromMinute ? toMinute - fromMinute : toMinute + Self.dayMinutes - fromMinute
        return (0..<7).filter { days >> UInt8($0) & 1 == 1 }.map { day in
            let begin = day * Self.dayMinutes + fromMinute
            return begin..<begin + length
        }
    }
}

extension [OpeningHours] {
    /// Whether no two of the hours share a minute of the week.
    fileprivate var areApart: Bool {
        let week = 7 * OpeningHours.dayMinutes
        let ranges = flatMap(\.ranges)
        // Hours that pass the end of Sunday could overlap with hours on Monday, so their range is added a second time, a week earlier.
        let again = ranges.filter { $0.upperBound > week }.map { $0.lowerBound - week..<$0.upperBound - week }
        let sorted = (ranges + again).sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }
}

/// Checks of a shop's schedule, for opening and editing.
extension FieldChecks {
    mutating func require(_ schedule: ShopSchedule) {
        require(timeZone: schedule.timeZone)
        if let hours = schedule.openingHours { require(hours) }
    }

    /// The limit on the name's length bounds the size of the event. The caller checks that the zone exists.
    mutating func require(timeZone: String) {
        require(Limits.timeZoneBytes.contains(timeZone.utf8.count), "timeZone", .characters(Limits.timeZoneBytes))
    }

    mutating func require(_ hours: [OpeningHours]) {
        require(hours.count <= Limits.openingHoursMax, "openingHours", .above(Limits.openingHoursMax))
        require(hours.allSatisfy(\.isPossible), "openingHours", .openingHours)
        guard hours.count <= Limits.openingHoursMax, hours.allSatisfy(\.isPossible) else { return }
        require(hours.areApart, "openingHours", .overlappingHours)
    }
}
