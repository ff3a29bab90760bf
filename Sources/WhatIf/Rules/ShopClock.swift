internal import Loyalty
internal import ReadModels

/// Days and months in shops' time zones. The last results are cached, because events are nearly in the order of time.
struct ShopClock {
    private struct Zone {
        let zone: ReportZone
        /// A day begins and ends with a quarter of an hour.
        var quarter: Quarter?
        var day = 0
        var month = Month(day: 0)
    }

    private var zones: [Zone]
    private var zoneOfShop: [ShopID: Int]

    init(_ rules: ProgrammeRules) {
        let names = [rules.timeZone] + Set(rules.shopTimeZones.values).sorted()
        zones = names.map { Zone(zone: ReportZone(name: $0) ?? .utc) }
        zoneOfShop = rules.shopTimeZones.compactMapValues { name in names.dropFirst().firstIndex(of: name) }
    }

    mutating func weekday(_ instant: Instant, at shop: ShopID) -> Weekday { Weekday(day: zone(instant, at: shop).day) }

    mutating func month(_ instant: Instant, at shop: ShopID) -> Month { zone(instant, at: shop).month }

    private mutating func zone(_ instant: Instant, at shop: ShopID) -> Zone {
        let index = zoneOfShop[shop] ?? 0
        let quarter = Quarter(of: instant)
        var zone = zones[index]
        guard zone.quarter != quarter else { return zone }
        let day = zone.zone.day(of: instant)
        if day != zone.day { (zone.day, zone.month) = (day, Month(day: day)) }
        zone.quarter = quarter
        zones[index] = zone
        return zone
    }
}

/// A day of the week, numbered as in ISO 8601.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// In lower case, as in rules files.
    public var name: String { "\(self)" }

    /// - Parameter day: days since 1970-01-01, a Thursday.
    init(day: Int) {
        let sinceMonday = (day + 3) % 7
        self = Weekday(rawValue: (sinceMonday + 7) % 7 + 1) ?? .monday
    }
}

/// A month of the Gregorian calendar.
public struct Month: Hashable, Comparable, Sendable {
    /// Such as `2026-01`.
    public let text: String

    /// - Parameter day: any of the month's days, counted from 1970-01-01.
    init(day: Int) { text = String(FullDate.text(day).prefix(7)) }

    public static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
