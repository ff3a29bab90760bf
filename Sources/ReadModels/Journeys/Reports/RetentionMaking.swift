internal import Loyalty

/// Adds up visits, customer by customer and each one's in the order of time.
struct RetentionMaking {
    private struct Customer {
        let account: AccountID
        /// The Monday of its cohort; nil where that is not shown.
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

    /// - Parameter day: of the visit, in the zone.
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

    /// Who is being counted; a new customer begins with the first visit ever.
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
