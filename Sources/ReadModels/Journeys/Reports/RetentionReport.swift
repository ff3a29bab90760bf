/// Who comes again.
///
/// - A **cohort** is the customers whose first visit lies in one week, Monday to Sunday. It is shown when that Monday and that visit
///   lie in the period.
/// - `active[k]` of a cohort counts those with a visit in the week that begins `k` weeks after its Monday, of the days of the period;
///   `active[0]` is everybody. Its **retention** in week `k` is `active[k] / customers`.
/// - The **curve** puts all cohorts together: in week `k`, the sum of `active[k]` divided by the sum of `customers`, over the cohorts
///   that are old enough to have a week `k` in the period. The period's last week counts even where the period ends within it.
/// - **repeatVisitRate**: of the customers with a visit in the period, the share with visits on two days of it or more; nil where
///   there are none.
public struct RetentionReport: Hashable, Sendable {
    /// One place of the curve.
    public struct Point: Hashable, Sendable {
        /// Weeks after the first.
        public let week: Int
        /// Of the cohorts that have this week.
        public let customers: Int
        /// Of those, with a visit in it.
        public let active: Int

        public var retention: Double { customers > 0 ? Double(active) / Double(customers) : 0 }
    }

    /// By their Mondays; weeks without new customers have none.
    public internal(set) var cohorts: [ShopReport.Cohort] = []
    public internal(set) var visits = 0
    public internal(set) var stamps = 0
    /// With a visit in the period.
    public internal(set) var customers = 0
    /// Of those, with visits on two days or more.
    public internal(set) var returningCustomers = 0

    public var repeatVisitRate: Double? { customers > 0 ? Double(returningCustomers) / Double(customers) : nil }

    /// From week 0 to the last one that any cohort has.
    public var curve: [Point] {
        (0..<(cohorts.map(\.active.count).max() ?? 0)).map { week in
            let old = cohorts.filter { $0.active.count > week }
            return Point(
                week: week, customers: old.reduce(0) { $0 + $1.customers }, active: old.reduce(0) { $0 + $1.active[week] })
        }
    }
}
