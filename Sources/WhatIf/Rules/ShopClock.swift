internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// Calendar calculations in a shop's time zone. The last results are cached, because events are nearly in the order of time.
struct ShopClock {
    private struct Zone {
        let zone: TimeZone
        /// In UTC. Every time zone in use changes its offset only at a quarter-hour.
        var quarter = Int64.min
        var offsetSeconds: Int64 = 0
        var day = Int.min
        var month = Month(year: 1970, month: 1)
    }

    private static let quarterMicroseconds: Int64 = 900_000_000
    private static let dayMicroseconds: Int64 = 86_400_000_000

    private var zones: [Zone]
    private var zoneOfShop: [ShopID: Int]

    init(_ rules: ProgrammeRules) {
        let names = [rules.timeZone] + Set(rules.shopTimeZones.values).sorted()
        zones = names.map { Zone(zone: TimeZone(identifier: $0) ?? .gmt) }
        zoneOfShop = rules.shopTimeZones.compactMapValues { name in names.dropFirst().firstIndex(of: name) }
    }

    mutating func weekday(_ instant: Instant, at shop: ShopID) -> Weekday {
        let (_, local) = local(instant, at: shop)
        return Weekday(day: Self.day(local))
    }

    mutating func month(_ instant: Instant, at shop: ShopID) -> Month {
        let (index, local) = local(instant, at: shop)
        let day = Self.day(local)
        if zones[index].day != day {
            zones[index].day = day
            zones[index].month = Month(of: local)
        }
        return zones[index].month
    }

    /// The shop's local time, represented as if it were UTC.
    private mutating func local(_ instant: Instant, at shop: ShopID) -> (zone: Int, Instant) {
        let index = zoneOfShop[shop] ?? 0
        let quarter = instant.microseconds / Self.quarterMicroseconds
        if zones[index].quarter != quarter {
            zones[index].quarter = quarter
            let date = Date(timeIntervalSince1970: Double(instant.microseconds) / 1e6)
            zones[index].offsetSeconds = Int64(zones[index].zone.secondsFromGMT(for: date))
        }
        return (index, instant.advanced(bySeconds: zones[index].offsetSeconds))
    }

    private static func day(_ local: Instant) -> Int {
        let (quotient, rest) = local.microseconds.quotientAndRemainder(dividingBy: dayMicroseconds)
        return Int(rest < 0 ? quotient - 1 : quotient)
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
    public let year: Int
    public let month: Int

    init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

    init(of instant: Instant) {
        let parts = instant.rfc3339.split(separator: "-", omittingEmptySubsequences: true).prefix(2).compactMap { Int($0) }
        self.init(year: parts.first ?? 1970, month: parts.dropFirst().first ?? 1)
    }

    public var text: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

    public static func < (left: Self, right: Self) -> Bool { (left.year, left.month) < (right.year, right.month) }
}
