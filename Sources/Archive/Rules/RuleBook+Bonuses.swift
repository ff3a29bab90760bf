internal import Foundation
internal import Loyalty

/// Rules about bonus hours. Local times come from a calendar of the shop's time zone, and not from the UTC offsets of the service's
/// decisions, so that the rule book does not repeat their errors.
///
/// If the writing machine had other time zone data, codes near the limits of bonus hours may seem to have given a wrong number of stamps.
extension RuleBook {
    private static let (weekMinutes, dayMinutes) = (10_080, 1_440)

    mutating func noteZone(_ zone: String, of shop: ShopID) { shops.zones[shop] = zone == ShopSchedule.defaultTimeZone ? nil : zone }

    mutating func factor(of code: LiveCode, _ bonuses: [BonusHours]) -> Int {
        guard !bonuses.isEmpty else { return 1 }
        let minute = minuteOfWeek(code.issuedAt, at: code.shop)
        return bonuses.first { Self.isWithin($0, minute) }?.factor ?? 1
    }

    /// They begin at the same minute on each of their days, and may last past midnight.
    private static func isWithin(_ hours: BonusHours, _ minute: Int) -> Bool {
        let length = (hours.toMinute - hours.fromMinute + dayMinutes - 1) % dayMinutes + 1
        return (0..<7).contains { day in
            guard hours.days.contains(day: day) else { return false }
            let passed = minute - (day * dayMinutes + hours.fromMinute)
            return (passed + weekMinutes) % weekMinutes < length
        }
    }

    private mutating func minuteOfWeek(_ moment: Instant, at shop: ShopID) -> Int {
        let name = shops.zones[shop] ?? ShopSchedule.defaultTimeZone
        let calendar = shops.calendars[name] ?? Self.calendar(of: name)
        shops.calendars[name] = calendar
        let date = Date(timeIntervalSince1970: (Double(moment.microseconds) / 1e6).rounded(.down))
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        // The calendar counts weekdays from Sunday as 1; the result counts from Monday as 0.
        return ((parts.weekday ?? 1) + 5) % 7 * Self.dayMinutes + (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
    }

    private static func calendar(of zone: String) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
        return calendar
    }
}
