public import Loyalty
internal import LoyaltyCodec

/// The local time of a shop.
public struct ShopClock: Sendable {
    public let now: Instant
    let secondsAhead: @Sendable (Instant) -> Int

    /// - Parameter secondsAhead: by which the clock is ahead of UTC at a moment.
    public init(now: Instant, secondsAhead: @escaping @Sendable (Instant) -> Int) { (self.now, self.secondsAhead) = (now, secondsAhead) }

    /// Shifted so that its UTC date and time are the shop's local ones.
    func shown(_ time: Instant) -> Instant { time.advanced(bySeconds: Int64(secondsAhead(time))) }

    var time: LocalTime { LocalTime(of: now, secondsAhead: secondsAhead(now)) }
}

/// The opening hours of a shop on its page.
extension WebPage {
    private static let dayWords: [Word] = [
        .dayMonday, .dayTuesday, .dayWednesday, .dayThursday, .dayFriday, .daySaturday, .daySunday,
    ]

    /// The next seven days, and whether the shop is open. Nil without hours, and for a closed or suspended shop.
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
    /// Bonus hours can tell whether a time is within them.
    fileprivate var week: BonusHours { BonusHours(days: Weekdays(rawValue: days), fromMinute: fromMinute, toMinute: toMinute, factor: 1) }
}
