public import Loyalty
internal import LoyaltyCodec

/// The local time of a shop, in its time zone.
public struct ShopClock: Sendable {
    public let now: Instant
    let secondsAhead: @Sendable (Instant) -> Int

    /// - Parameter secondsAhead: returns the number of seconds by which the clock is ahead of UTC at a moment.
    public init(now: Instant, secondsAhead: @escaping @Sendable (Instant) -> Int) {
        (self.now, self.secondsAhead) = (now, secondsAhead)
    }

    /// The time, shifted so that its date and time of day in UTC are those of the shop's local time.
    func shown(_ time: Instant) -> Instant { time.advanced(bySeconds: Int64(secondsAhead(time))) }

    /// The day of the week and the minute of the day, now.
    var time: LocalTime { LocalTime(of: now, secondsAhead: secondsAhead(now)) }
}

/// The opening hours of a shop on its page.
extension WebPage {
    private static let dayWords: [Word] = [
        .dayMonday, .dayTuesday, .dayWednesday, .dayThursday, .dayFriday, .daySaturday, .daySunday,
    ]

    /// The hours of the next seven days, and whether the shop is open now. Nil for a shop that names no hours, is closed for good, or is
    /// suspended.
    static func hours(of shop: Shop, _ language: PageLanguage, _ clock: ShopClock) -> [String: Any]? {
        guard let hours = shop.schedule.openingHours, shop.closing == nil, !shop.isSuspended else { return nil }
        let now = clock.time
        let isOpen = hours.contains { $0.week.contains(now) }
        let days = (0..<7).map { offset -> [String: Any] in
            let day = (now.day + offset) % 7
            let name = language.say(dayWords[day])
            let times = hours.filter { $0.week.days.contains(day: day) }.sorted { $0.fromMinute < $1.fromMinute }.map { hours in
                language.say(.hoursBetween, ["from": DayClock.text(hours.fromMinute), "to": DayClock.text(hours.toMinute)])
            }
            let separator = language == .chinese ? "、" : ", "
            return [
                "name": offset == 0 ? language.say(.today, ["day": name]) : name,
                "times": times.isEmpty ? language.say(.closedThatDay) : times.joined(separator: separator),
            ]
        }
        return ["isOpen": isOpen, "openText": language.say(isOpen ? .openNow : .closedNow), "days": days]
    }
}

extension OpeningHours {
    /// These opening hours in the form of bonus hours, a type that can tell whether a time is within them.
    fileprivate var week: BonusHours { BonusHours(days: Weekdays(rawValue: days), fromMinute: fromMinute, toMinute: toMinute, factor: 1) }
}
