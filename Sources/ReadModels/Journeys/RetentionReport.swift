internal import Loyalty

/// Reports which customers return.
///
/// - A **cohort** is the customers whose first visit was in one week, Monday to Sunday, and in the period. Its Monday is in the period.
/// - `active[k]` counts its customers with a visit, within the period, `k` weeks after its week. **Retention** is `active[k] / customers`.
/// - The **curve** is the sum of `active[k]` divided by that of `customers`, over all cohorts for which week `k` is in the period, even if
///   the period ends before its Sunday.
/// - **repeatVisitRate** is the share of the period's customers with visits on two or more of its days; nil without customers.
public struct RetentionReport: Hashable, Sendable {
    /// One point of the curve.
    public struct Point: Hashable, Sendable {
        public let week: Int
        public let customers: Int
        public let active: Int

        public var retention: Double { customers > 0 ? Double(active) / Double(customers) : 0 }
    }

    public internal(set) var cohorts: [ShopReport.Cohort] = []
    public internal(set) var visits = 0
    public internal(set) var stamps = 0
    public internal(set) var customers = 0
    public internal(set) var returningCustomers = 0

    public var repeatVisitRate: Double? { customers > 0 ? Double(returningCustomers) / Double(customers) : nil }

    public var curve: [Point] {
        (0..<(cohorts.map(\.active.count).max() ?? 0)).map { week in
            let old = cohorts.filter { $0.active.count > week }
            return Point(week: week, customers: old.reduce(0) { $0 + $1.customers }, active: old.reduce(0) { $0 + $1.active[week] })
        }
    }
}

/// Visits MUST be added by customer, and for each in the order of time.
struct RetentionMaking {
    private struct Customer {
        let account: AccountID
        /// The Monday of the cohort; nil if it is not shown.
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
