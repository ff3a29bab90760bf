internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// What day it is at a shop. It remembers the last answers: histories are nearly in the order of time.
struct ShopClock {
    private struct Zone {
        let zone: TimeZone
        /// Every zone in use changes its offset on a quarter of an hour of UTC.
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

    /// The zone's number, and what a clock in it shows, told as if it were UTC.
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
