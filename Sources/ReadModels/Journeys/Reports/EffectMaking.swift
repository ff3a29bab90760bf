internal import Loyalty

/// Adds up visits by the weeks of a campaign, customer by customer and each one's in the order of time.
struct EffectMaking {
    private let campaign: CampaignID
    private let firstDay: Int
    private let lastDay: Int
    private let weeksBefore: Int
    private let weeksDuring: Int
    /// Before, during and after, in this order.
    private var weeks: [CampaignEffect.Week]
    private var account: AccountID?
    private var lastWeek = -1

    init(_ query: JourneyQuery, _ campaign: CampaignID, _ times: CampaignTimes) {
        self.campaign = campaign
        firstDay = query.period.day(Quarter(of: times.startsAt))
        // What ends at midnight ran on the day before; what ended before it began ran for no day at all.
        lastDay = max(firstDay - 1, query.period.day(Quarter(of: Instant(microseconds: max(times.overAt.microseconds, .min + 1) - 1))))
        let first = firstDay
        let lastSeen = min(lastDay, query.today, first + 7 * ReadModelLimits.effectRunningWeeksMax - 1)
        let isOver = lastDay < query.today
        let before = Self.weeks(from: first - 7 * query.weeks, through: min(first - 1, query.today))
        let during = Self.weeks(from: first, through: lastSeen)
        let after = isOver ? Self.weeks(from: lastDay + 1, through: min(lastDay + 7 * query.weeks, query.today)) : []
        (weeksBefore, weeksDuring) = (before.count, during.count)
        weeks = before + during + after
    }

    private static func weeks(from first: Int, through last: Int) -> [CampaignEffect.Week] {
        guard first <= last else { return [] }
        return stride(from: first, through: last, by: 7).map { CampaignEffect.Week(firstDay: $0, days: min(7, last - $0 + 1)) }
    }

    /// The days of its weeks; nil where it has none.
    var days: ClosedRange<Int>? {
        guard let first = weeks.first, let last = weeks.last else { return nil }
        return first.firstDay...(last.firstDay + last.days - 1)
    }

    mutating func add(_ visit: ShopVisit, on day: Int) {
        let isFirst = visit.account != account
        if isFirst { (account, lastWeek) = (visit.account, -1) }
        guard let week = week(of: day) else { return }
        weeks[week].visits += 1
        if isFirst { weeks[week].newCustomers += 1 }
        if week > lastWeek {
            weeks[week].activeCustomers += 1
            lastWeek = week
        }
    }

    private func week(of day: Int) -> Int? {
        guard let first = weeks.first?.firstDay, day >= first else { return nil }
        let week =
            if day < firstDay { (day - first) / 7 } else if day <= lastDay { weeksBefore + (day - firstDay) / 7 } else {
                weeksBefore + weeksDuring + (day - lastDay - 1) / 7
            }
        guard week < weeks.count, weeks[week].firstDay <= day, day < weeks[week].firstDay + weeks[week].days else { return nil }
        return week
    }

    func finished() -> CampaignEffect {
        CampaignEffect(
            campaign: campaign, firstDay: firstDay, lastDay: lastDay, before: .init(weeks: Array(weeks[..<weeksBefore])),
            during: .init(weeks: Array(weeks[weeksBefore..<(weeksBefore + weeksDuring)])),
            after: .init(weeks: Array(weeks[(weeksBefore + weeksDuring)...])))
    }
}
