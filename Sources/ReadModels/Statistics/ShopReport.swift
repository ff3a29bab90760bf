internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// A shop's figures for a period, by the days of the requested zone:
/// - a customer is **active** on a day on which one of their cards was opened, stamped or redeemed, or got a milestone's reward, there;
/// - **filled** counts how often cards became full, but not again after a reward was taken back; a coupon is full when it is opened;
/// - **redemptionRate**: rewards handed out, minus those taken back, never below zero, divided by **filled**; without milestones;
/// - **repeatVisitRate**: the share of active customers who were active on two or more days; nil without customers;
/// - a **cohort**: customers whose first activity ever there was in one week (Monday to Sunday) that begins in the period;
/// - **stamps**, also by member of staff: those that codes added, on that day, even if they were taken back later;
/// - the **concentration** names cards and staff with far more than their share of stamps: see ``ReadModelLimits``.
public struct ShopReport: Hashable, Sendable {
    /// The shop's figures for one day.
    public struct Day: Hashable, Sendable {
        /// In days since 1970-01-01 in the zone.
        public let day: Int
        public internal(set) var codes = 0
        public internal(set) var stamps = 0
        public internal(set) var newCards = 0
        public internal(set) var activeCustomers = 0
        public internal(set) var redemptions = 0
        /// Taken back on this day, whenever they were handed out.
        public internal(set) var reversals = 0
        public internal(set) var milestones = MilestoneActivity()

        init(day: Int) { self.day = day }
    }

    /// The new customers of one week, and how many of them returned.
    public struct Cohort: Hashable, Sendable {
        public let monday: Int
        public let customers: Int
        public let active: [Int]
    }

    /// A card or a member of staff, with its share of all stamps.
    public struct Share<Thing: Hashable & Sendable>: Hashable, Sendable {
        public let thing: Thing
        public let stamps: Int
        public let share: Double
    }

    public internal(set) var days: [Day] = []
    public internal(set) var filled = 0
    public internal(set) var activeCustomers = 0
    public internal(set) var returningCustomers = 0
    public internal(set) var cohorts: [Cohort] = []
    public internal(set) var staff: [AccountID: StaffActivity] = [:]
    public internal(set) var concentratedCards: [Share<CardID>] = []
    public internal(set) var concentratedStaff: [Share<AccountID>] = []

    public var codes: Int { days.reduce(0) { $0 + $1.codes } }
    public var stamps: Int { days.reduce(0) { $0 + $1.stamps } }
    public var newCards: Int { days.reduce(0) { $0 + $1.newCards } }
    public var redemptions: Int { days.reduce(0) { $0 + $1.redemptions } }
    public var reversals: Int { days.reduce(0) { $0 + $1.reversals } }
    public var milestones: MilestoneActivity { days.reduce(into: MilestoneActivity()) { $0.add($1.milestones) } }
    public var redemptionRate: Double? { filled > 0 ? Double(max(0, redemptions - reversals)) / Double(filled) : nil }
    public var repeatVisitRate: Double? { activeCustomers > 0 ? Double(returningCustomers) / Double(activeCustomers) : nil }
}

/// The figures of all of an owner's shops together, and of each shop, for a period.
public struct BrandReport: Hashable, Sendable {
    /// One shop's figures.
    public struct Part: Hashable, Sendable {
        public let shop: ShopID
        public let report: ShopReport
    }

    public let together: ShopReport
    public let parts: [Part]
}

/// A report on all shops of an owner, read one after the other so that other requests can run in between, and so as of different moments.
///
/// Each event belongs to the shop at which it happened. Together, a customer at two shops on a day is active once, the first activity is
/// the earliest at any shop, and each card and member of staff has one line.
public struct BrandMaking: Sendable {
    let period: ReportPeriod
    var together: ReportMaking
    var parts: [BrandReport.Part] = []
    var firsts: [AccountID: Quarter] = [:]
    var customers: [AccountID]?
    let rowsMax: Int
    /// Entries that ``together`` may hold, which also bounds ``customers`` and ``firsts``.
    let entriesMax: Int
    var rows = 0

    public init(_ period: ReportPeriod) { self.init(period, rowsMax: ReadModelLimits.statisticsRowsMax) }

    init(_ period: ReportPeriod, rowsMax: Int, entriesMax: Int = ReadModelLimits.brandEntriesMax) {
        (self.period, together) = (period, ReportMaking(period))
        (self.rowsMax, self.entriesMax) = (rowsMax, entriesMax)
    }

    public var report: BrandReport { BrandReport(together: together.report(firsts: firsts), parts: parts) }
}

struct ReportRows: Sendable {
    private let max: Int
    private(set) var number = 0

    init(max: Int) { self.max = max }

    mutating func count(of shop: ShopID) throws(ReadModelError) {
        number += 1
        guard number <= max else {
            throw ReadModelError(.tooMuch, model: Statistics.name, "shop \(shop.text) has more than \(max) rows for one report")
        }
    }
}

/// Makes a report from the rows of a shop, or of several.
package struct ReportMaking {
    private let period: ReportPeriod
    private var days: [ShopReport.Day]
    private var activeDays: [AccountID: Set<Int>] = [:]
    private var cardStamps: [CardID: Int] = [:]
    private var staff: [AccountID: StaffActivity] = [:]
    private var filled = 0
    private var visitDays = 0

    var entries: Int { cardStamps.count + visitDays }

    package init(_ period: ReportPeriod) {
        self.period = period
        days = period.days.map { ShopReport.Day(day: $0) }
    }

    /// Only if it is in the period.
    package mutating func add(_ activity: CardActivity, of card: CardID, in quarter: Quarter) {
        guard let (place, day) = place(of: quarter) else { return }
        days[place].stamps += activity.stamps
        days[place].newCards += activity.opened
        days[place].redemptions += activity.redeemed
        days[place].reversals += activity.reversed
        days[place].milestones.add(activity.milestones)
        filled += activity.filled
        guard activity.isVisit else { return }
        if activeDays[activity.holder, default: []].insert(day).inserted {
            days[place].activeCustomers += 1
            visitDays += 1
        }
        cardStamps[card, default: 0] += activity.stamps
    }

    /// Only if it is in the period.
    package mutating func add(_ activity: StaffActivity, by member: AccountID, in quarter: Quarter) {
        guard let (place, _) = place(of: quarter) else { return }
        days[place].codes += activity.codes
        staff[member, default: StaffActivity()].add(activity)
    }

    /// `firsts` has each active customer's first activity ever.
    package func report(firsts: [AccountID: Quarter]) -> ShopReport {
        var report = ShopReport()
        report.days = days
        report.filled = filled
        report.activeCustomers = activeDays.count
        report.returningCustomers = activeDays.values.count { $0.count > 1 }
        report.cohorts = cohorts(firsts)
        report.staff = staff
        report.concentratedCards = Self.concentrated(cardStamps, factor: ReadModelLimits.concentrationCardFactor)
        // Members who only showed unused codes do not lower the average.
        let givers = staff.filter { $0.value.given > 0 }
        report.concentratedStaff = Self.concentrated(givers.mapValues(\.stamps), factor: ReadModelLimits.concentrationStaffFactor)
        return report
    }

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
                // Only a damaged row has activity before the first.
                for week in weeks where week >= 0 { active[week] += 1 }
            }
            return ShopReport.Cohort(monday: monday, customers: accounts.count, active: active)
        }
    }

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

extension Statistics {
    /// The report on a shop. Reads every row of the period, and one for each of its customers.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/statisticsRowsMax`` rows.
    public func report(of shop: ShopID, _ period: ReportPeriod) throws(ReadModelError) -> ShopReport {
        try countedReport(of: shop, period).report
    }

    func countedReport(
        of shop: ShopID, _ period: ReportPeriod, rowsMax: Int = ReadModelLimits.statisticsRowsMax
    ) throws(ReadModelError) -> (report: ShopReport, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (making, rows) = (ReportMaking(period), ReportRows(max: rowsMax))
            try walk(cards, of: shop, period.quarters, &rows, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                making.add(try store.decoded(row) as CardActivity, of: CardID(card), in: quarter)
            }
            try walk(staff, of: shop, period.quarters, &rows, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                making.add(try store.decoded(row) as StaffActivity, by: AccountID(account), in: quarter)
            }
            let found = try firsts(of: making.customers.sorted(), at: shop, &rows, in: snapshot)
            return (making.report(firsts: found), rows.number)
        }
    }

    /// After an error, the brand's report is of no use.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/statisticsRowsMax`` rows of the shop, or more than
    ///   ``ReadModelLimits/brandEntriesMax`` entries of all shops.
    public func add(_ shop: ShopID, to brand: inout BrandMaking) throws(ReadModelError) {
        var (making, together, rows) = (ReportMaking(brand.period), ReportMaking(brand.period), ReportRows(max: brand.rowsMax))
        // A swap, because otherwise each shop would copy all earlier ones.
        swap(&together, &brand.together)
        let (period, entriesMax) = (brand.period, brand.entriesMax)
        let report = try store.reading { (snapshot) throws(ReadModelError) in
            try walk(cards, of: shop, period.quarters, &rows, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                let activity: CardActivity = try store.decoded(row)
                making.add(activity, of: CardID(card), in: quarter)
                together.add(activity, of: CardID(card), in: quarter)
                guard together.entries <= entriesMax else {
                    throw ReadModelError(
                        .tooMuch, model: Self.name, "the shops have more than \(entriesMax) cards and customers' days for one report")
                }
            }
            try walk(staff, of: shop, period.quarters, &rows, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                let activity: StaffActivity = try store.decoded(row)
                making.add(activity, by: AccountID(account), in: quarter)
                together.add(activity, by: AccountID(account), in: quarter)
            }
            return making.report(firsts: try firsts(of: making.customers.sorted(), at: shop, &rows, in: snapshot))
        }
        (brand.together, brand.rows, brand.customers) = (together, rows.number, nil)
        brand.parts.append(BrandReport.Part(shop: shop, report: report))
    }

    /// Call it for each shop once all were added, because customers may have come to another shop before.
    public func addFirsts(at shop: ShopID, to brand: inout BrandMaking) throws(ReadModelError) {
        let customers = brand.customers ?? brand.together.customers.sorted()
        var rows = ReportRows(max: brand.rowsMax)
        let found = try store.reading { (snapshot) throws(ReadModelError) in
            try firsts(of: customers, at: shop, &rows, in: snapshot)
        }
        (brand.rows, brand.customers) = (rows.number, customers)
        brand.firsts.merge(found) { min($0, $1) }
    }

    /// Seeks past absent customers, so that it reads at most one row more than the shop has customers.
    private func firsts(
        of customers: [AccountID], at shop: ShopID, _ rows: inout ReportRows, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> [AccountID: Quarter] {
        var found: [AccountID: Quarter] = [:]
        do {
            var cursor = try snapshot.cursor(firsts)
            var next = 0
            while next < customers.count {
                try rows.count(of: shop)
                let key = RowKey(shop.value, and: customers[next].value)
                guard try cursor.seek(key.bytes), cursor.key.count == 32, cursor.key.bigEndian128(at: 0) == shop.value else { break }
                let account = AccountID(cursor.key.bigEndian128(at: 16))
                next = customers.firstIndex(from: next, notBelow: account)
                guard next < customers.count, customers[next] == account else { continue }
                found[account] = Quarter(key: try store.number(cursor.value))
                next += 1
            }
        } catch {
            throw store.wrapped(error)
        }
        return found
    }

    func walk(
        _ table: Table, of shop: ShopID, _ quarters: ClosedRange<Quarter>, _ rows: inout ReportRows, in snapshot: borrowing Snapshot,
        _ body: (_ quarter: Quarter, _ thing: UInt128, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        let start = RowKey(shop.value, position: quarters.lowerBound.key)
        try store.walk(table, of: shop.value, from: start, keyBytes: 40, in: snapshot) { (key, row) throws(ReadModelError) in
            let quarter = Quarter(key: UInt64(truncatingIfNeeded: key.extracting(droppingFirst: 8).bigEndian128(at: 0)))
            guard quarter <= quarters.upperBound else { return .end }
            try rows.count(of: shop)
            try body(quarter, key.bigEndian128(at: 24), row)
            return .next
        }
    }
}

extension [AccountID] {
    /// The ids must ascend.
    fileprivate func firstIndex(from start: Int, notBelow id: AccountID) -> Int {
        var (low, high) = (start, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
