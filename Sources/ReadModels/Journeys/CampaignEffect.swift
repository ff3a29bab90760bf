public import Loyalty

/// Compares a shop's visits in the weeks before a campaign with the visits while it runs and after it.
///
/// Weeks have seven days, counted from the campaign's first day, and from the day after its last:
/// - **Before**: the ``JourneyQuery/weeks`` weeks before the first day.
/// - **During**: through the last day or today, at most ``ReadModelLimits/effectRunningWeeksMax`` weeks; the last may be shorter.
/// - **After**: at most ``JourneyQuery/weeks`` weeks, up to today.
///
/// Visits with cards of any campaign count, because a promotion has no cards. The comparison does not prove the cause.
public struct CampaignEffect: Hashable, Sendable {
    /// A week or a part of a week, with its visits and customers.
    public struct Week: Hashable, Sendable {
        /// In days since 1970-01-01 in the zone.
        public let firstDay: Int
        public let days: Int
        public internal(set) var visits = 0
        public internal(set) var activeCustomers = 0
        public internal(set) var newCustomers = 0

        init(firstDay: Int, days: Int) { (self.firstDay, self.days) = (firstDay, days) }
    }

    /// The weeks before, during or after the campaign.
    public struct Phase: Hashable, Sendable {
        public internal(set) var weeks: [Week]

        public var days: Int { weeks.reduce(0) { $0 + $1.days } }
        /// The average of visits in seven days; nil without days. The next two properties are such averages of customers.
        public var visitsPerWeek: Double? { perWeek(\.visits) }
        public var activeCustomersPerWeek: Double? { perWeek(\.activeCustomers) }
        public var newCustomersPerWeek: Double? { perWeek(\.newCustomers) }

        private func perWeek(_ figure: (Week) -> Int) -> Double? {
            days > 0 ? Double(7 * weeks.reduce(0) { $0 + figure($1) }) / Double(days) : nil
        }
    }

    public let campaign: CampaignID
    /// The first running day, in days since 1970-01-01 in the zone.
    public let firstDay: Int
    /// The last running day; the day before ``firstDay`` if the campaign was ended before its start.
    public let lastDay: Int
    public internal(set) var before: Phase
    public internal(set) var during: Phase
    public internal(set) var after: Phase

    /// The change of visits per week from before to during, 0.25 for a quarter more; nil without visits before, or before the start.
    public var change: Double? { Self.change(before, during) }
    public var lastingChange: Double? { Self.change(before, after) }

    private static func change(_ old: Phase, _ new: Phase) -> Double? {
        guard let old = old.visitsPerWeek, old > 0, let new = new.visitsPerWeek else { return nil }
        return new / old - 1
    }
}

/// Counts visits by the weeks of a campaign's effect. Visits MUST be added by customer, and for each in the order of time.
struct EffectMaking {
    private let campaign: CampaignID
    private let firstDay: Int
    private let lastDay: Int
    private let weeksBefore: Int
    private let weeksDuring: Int
    private var weeks: [CampaignEffect.Week]
    private var account: AccountID?
    private var lastWeek = -1

    init(_ query: JourneyQuery, _ campaign: CampaignID, _ times: CampaignTimes) {
        self.campaign = campaign
        firstDay = query.period.day(Quarter(of: times.startsAt))
        // A campaign that ends at midnight ends with the day before. One ended before its start ran on no day.
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
