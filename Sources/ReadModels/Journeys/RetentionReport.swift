internal import Loyalty

/// Reports which customers return.
///
/// - A **cohort** is the group of customers whose first visit was in one week, Monday to Sunday. A cohort is shown if its Monday is in the
///   period, and has only the customers whose first visit was in the period.
/// - `active[k]` of a cohort counts its customers with a visit, within the period, in the week that begins `k` weeks after its Monday.
///   `active[0]` is the whole cohort. Its **retention** in week `k` is `active[k] / customers`.
/// - The **curve** adds up all cohorts: in week `k` it is the sum of `active[k]` divided by the sum of `customers`, over all cohorts for
///   which week `k` is in the period. The period's last week is included even if the period ends before its Sunday.
/// - **repeatVisitRate**: of the customers with a visit in the period, the share with visits on two or more of its days; nil without
///   customers.
public struct RetentionReport: Hashable, Sendable {
    /// One point of the curve.
    public struct Point: Hashable, Sendable {
        /// The number of weeks after the cohort's first week.
        public let week: Int
        /// The number of customers of the cohorts for which this week is in the period.
        public let customers: Int
        /// The number of ``customers`` who visited in this week.
        public let active: Int

        public var retention: Double { customers > 0 ? Double(active) / Double(customers) : 0 }
    }

    /// The cohorts in the order of their Mondays. A week without new customers has no cohort.
    public internal(set) var cohorts: [ShopReport.Cohort] = []
    public internal(set) var visits = 0
    public internal(set) var stamps = 0
    /// The customers with a visit in the period.
    public internal(set) var customers = 0
    /// The number of ``customers`` who visited on two days or more.
    public internal(set) var returningCustomers = 0

    public var repeatVisitRate: Double? { customers > 0 ? Double(returningCustomers) / Double(customers) : nil }

    /// The curve from week 0 to the last week of any cohort.
    public var curve: [Point] {
        (0..<(cohorts.map(\.active.count).max() ?? 0)).map { week in
            let old = cohorts.filter { $0.active.count > week }
            return Point(
                week: week, customers: old.reduce(0) { $0 + $1.customers }, active: old.reduce(0) { $0 + $1.active[week] })
        }
    }
}

/// Counts customers and their visits. The visits MUST be added customer by customer, and the visits of one customer in the order of time.
struct RetentionMaking {
    private struct Customer {
        let account: AccountID
        /// The Monday of the customer's cohort; nil if that cohort is not shown.
        let monday: Int?
        var visitDays = 0
        var lastDay = Int.min
        var lastWeek = -1
    }

    private let period: ReportPeriod
    private let lastMonday: Int
    private var current: Customer?
    private var cohorts: [Int: [Int]] = [:]
    private var report = RetentionReport()

    init(_ period: ReportPeriod) {
        self.period = period
        lastMonday = ReportPeriod.monday(of: period.days.upperBound)
    }

    /// - Parameter day: the day of the visit in the zone.
    mutating func add(_ visit: ShopVisit, on day: Int) {
        var customer = takeCustomer(of: visit, on: day)
        defer { current = customer }
        guard period.days.contains(day) else { return }
        report.visits += 1
        report.stamps += visit.stamps
        if customer.visitDays == 0 { report.customers += 1 }
        if day != customer.lastDay {
            customer.visitDays += 1
            customer.lastDay = day
            if customer.visitDays == 2 { report.returningCustomers += 1 }
        }
        guard let monday = customer.monday else { return }
        let week = (ReportPeriod.monday(of: day) - monday) / 7
        if week > customer.lastWeek {
            cohorts[monday]?[week] += 1
            customer.lastWeek = week
        }
    }

    /// The customer of a visit. If the customer is not the current one, the visit is the customer's first one ever, and its week determines
    /// the cohort.
    private mutating func takeCustomer(of visit: ShopVisit, on day: Int) -> Customer {
        if let customer = current, customer.account == visit.account { return customer }
        let monday = ReportPeriod.monday(of: day)
        guard period.days.contains(day), period.days.contains(monday) else { return Customer(account: visit.account, monday: nil) }
        if cohorts[monday] == nil { cohorts[monday] = Array(repeating: 0, count: (lastMonday - monday) / 7 + 1) }
        return Customer(account: visit.account, monday: monday)
    }

    func finished() -> RetentionReport {
        var report = report
        report.cohorts = cohorts.sorted { $0.key < $1.key }.map { monday, active in
            ShopReport.Cohort(monday: monday, customers: active[0], active: active)
        }
        return report
    }
}
