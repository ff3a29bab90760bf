package import Loyalty

/// Adds a shop's rows up to a report.
package struct ReportMaking {
    private let period: ReportPeriod
    private var days: [ShopReport.Day]
    /// Days on which each customer was active.
    private var activeDays: [AccountID: Set<Int>] = [:]
    private var cardStamps: [CardID: Int] = [:]
    private var staff: [AccountID: StaffActivity] = [:]
    private var filled = 0

    package init(_ period: ReportPeriod) {
        self.period = period
        days = period.days.map { ShopReport.Day(day: $0) }
    }

    /// Adds what happened to a card; what lies outside of the period is passed over.
    package mutating func add(_ activity: CardActivity, of card: CardID, in quarter: Quarter) {
        guard let (place, day) = place(of: quarter) else { return }
        days[place].stamps += activity.stamps
        days[place].newCards += activity.opened
        days[place].redemptions += activity.redeemed
        days[place].reversals += activity.reversed
        filled += activity.filled
        guard activity.isVisit else { return }
        if activeDays[activity.holder, default: []].insert(day).inserted { days[place].activeCustomers += 1 }
        cardStamps[card, default: 0] += activity.stamps
    }

    /// Adds what a member of staff did; what lies outside of the period is passed over.
    package mutating func add(_ activity: StaffActivity, by member: AccountID, in quarter: Quarter) {
        guard let (place, _) = place(of: quarter) else { return }
        days[place].codes += activity.codes
        staff[member, default: StaffActivity()].add(activity)
    }

    /// - Parameter firsts: when each of the active customers was active for the first time ever.
    package func report(firsts: [AccountID: Quarter]) -> ShopReport {
        var report = ShopReport()
        report.days = days
        report.filled = filled
        report.activeCustomers = activeDays.count
        report.returningCustomers = activeDays.values.count { $0.count > 1 }
        report.cohorts = cohorts(firsts)
        report.staff = staff
        report.concentratedCards = Self.concentrated(cardStamps, factor: ReadModelLimits.concentrationCardFactor)
        report.concentratedStaff = Self.concentrated(staff.mapValues(\.stamps), factor: ReadModelLimits.concentrationStaffFactor)
        return report
    }

    /// Who was active in the period.
    package var customers: some Sequence<AccountID> { activeDays.keys }

    private func place(of quarter: Quarter) -> (Int, Int)? {
        let day = period.day(quarter)
        return period.days.contains(day) ? (day - period.days.lowerBound, day) : nil
    }

    private func cohorts(_ firsts: [AccountID: Quarter]) -> [ShopReport.Cohort] {
        let last = ReportPeriod.monday(of: period.days.upperBound)
        var members: [Int: [AccountID]] = [:]
        for (account, first) in firsts {
            let monday = ReportPeriod.monday(of: period.day(first))
            if monday >= period.days.lowerBound, monday <= last { members[monday, default: []].append(account) }
        }
        return members.sorted { $0.key < $1.key }.map { monday, accounts in
            var active = Array(repeating: 0, count: (last - monday) / 7 + 1)
            for account in accounts {
                let weeks = Set(activeDays[account, default: []].map { (ReportPeriod.monday(of: $0) - monday) / 7 })
                // None is before the first, unless a row was damaged; a report is no place to fall over for it.
                for week in weeks where week >= 0 { active[week] += 1 }
            }
            return ShopReport.Cohort(monday: monday, customers: accounts.count, active: active)
        }
    }

    /// Those with enough stamps to matter and so many times what they would have if all had the same.
    private static func concentrated<Thing: Hashable & Comparable & Sendable>(
        _ stamps: [Thing: Int], factor: Double
    ) -> [ShopReport.Share<Thing>] {
        let total = stamps.values.reduce(0, +)
        guard total > 0 else { return [] }
        let fair = Double(total) / Double(stamps.count)
        return stamps.filter { $0.value >= ReadModelLimits.concentrationStampsMin && Double($0.value) >= factor * fair }
            .map { ShopReport.Share(thing: $0.key, stamps: $0.value, share: Double($0.value) / Double(total)) }
            .sorted { ($1.stamps, $0.thing) < ($0.stamps, $1.thing) }
    }
}
