public import Loyalty

/// A shop's weeks before a campaign, while it runs and after it.
///
/// Weeks here are seven days from the campaign's own first day on, not from Monday. **Before**: the `weeks` weeks that end the day
/// before the campaign's first day. **During**: from its first day to its last, or to today; the last of these weeks may be shorter,
/// and no more than ``ReadModelLimits/effectRunningWeeksMax`` are looked at. **After**: the `weeks` weeks from the day after its last
/// day on, as far as they have come; none while it runs. Days after today are left out. All visits at the shop count, of whatever
/// campaign a card is: a promotion has no cards of its own.
///
/// This compares times and proves no cause: a campaign that begins with the school year is followed by the school year, too.
public struct CampaignEffect: Hashable, Sendable {
    /// A week, or what there is of it.
    public struct Week: Hashable, Sendable {
        /// Days since 1970-01-01 in the zone.
        public let firstDay: Int
        /// 1 to 7.
        public let days: Int
        public internal(set) var visits = 0
        /// Customers with a visit.
        public internal(set) var activeCustomers = 0
        /// Customers whose first visit at the shop this is.
        public internal(set) var newCustomers = 0

        init(firstDay: Int, days: Int) { (self.firstDay, self.days) = (firstDay, days) }
    }

    /// Some weeks together.
    public struct Phase: Hashable, Sendable {
        public internal(set) var weeks: [Week]

        public var days: Int { weeks.reduce(0) { $0 + $1.days } }
        /// Seven times the visits, divided by the days; nil without days. The next two likewise.
        public var visitsPerWeek: Double? { perWeek(\.visits) }
        public var activeCustomersPerWeek: Double? { perWeek(\.activeCustomers) }
        public var newCustomersPerWeek: Double? { perWeek(\.newCustomers) }

        private func perWeek(_ figure: (Week) -> Int) -> Double? {
            days > 0 ? Double(7 * weeks.reduce(0) { $0 + figure($1) }) / Double(days) : nil
        }
    }

    public let campaign: CampaignID
    /// Days since 1970-01-01 in the zone.
    public let firstDay: Int
    /// The last day on which it ran or will run.
    public let lastDay: Int
    public internal(set) var before: Phase
    public internal(set) var during: Phase
    public internal(set) var after: Phase

    /// Visits a week while it runs, compared with before: 0.25 is a quarter more; nil where there were none before.
    public var change: Double? { Self.change(before, during) }
    /// Visits a week after it, compared with before.
    public var lastingChange: Double? { Self.change(before, after) }

    private static func change(_ old: Phase, _ new: Phase) -> Double? {
        guard let old = old.visitsPerWeek, old > 0, let new = new.visitsPerWeek else { return nil }
        return new / old - 1
    }
}
