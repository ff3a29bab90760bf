internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// A shop's figures for a period.
///
/// Definitions, which all concern the days of the period in the requested time zone:
/// - a customer is **active** on a day on which one of their cards was opened, stamped or redeemed at the shop, or the reward of a
///   milestone of such a card was handed out there;
/// - **filled** counts how often cards became full, by codes' stamps or an operator's adjustment, or as a coupon, which is full when it is
///   opened; a card whose reward is taken back is full again without being counted again;
/// - rewards of **milestones** are counted separately, and are part of no other number;
/// - **redemptionRate**: the rewards handed out, minus those taken back, but never below zero, divided by **filled**. It is above 1 if
///   cards from before the period were redeemed, and nil if no card became full;
/// - **repeatVisitRate**: of the customers active in the period, the share that was active on two or more of its days; nil without
///   customers;
/// - a **cohort** is the group of customers whose first activity ever at the shop was in one week (Monday to Sunday) that begins in the
///   period; its `active` has the number of its customers who were active in that week and in each later week of the period;
/// - **stamps** are the stamps that codes added, counted on the day when they were added, even if they were taken back later;
/// - **stamps by a member of staff** are the stamps that this person's codes added, counted in the same way;
/// - the **concentration** names cards and members of staff with far more than their share of the stamps: see ``ReadModelLimits``.
public struct ShopReport: Hashable, Sendable {
    /// The shop's figures for one day.
    public struct Day: Hashable, Sendable {
        /// The day, in days since 1970-01-01 in the zone.
        public let day: Int
        public internal(set) var codes = 0
        public internal(set) var stamps = 0
        public internal(set) var newCards = 0
        public internal(set) var activeCustomers = 0
        public internal(set) var redemptions = 0
        /// The number of rewards that were taken back on this day, even if they were handed out earlier.
        public internal(set) var reversals = 0
        public internal(set) var milestones = MilestoneActivity()

        init(day: Int) { self.day = day }
    }

    /// The new customers of one week, and how many of them returned.
    public struct Cohort: Hashable, Sendable {
        /// The Monday with which the week begins.
        public let monday: Int
        public let customers: Int
        /// The number of active customers in each week, beginning with the cohort's own week.
        public let active: [Int]
    }

    /// A card or a member of staff, with its number of stamps and its share of all stamps.
    public struct Share<Thing: Hashable & Sendable>: Hashable, Sendable {
        public let thing: Thing
        public let stamps: Int
        /// The share of all stamps of the period.
        public let share: Double
    }

    /// Every day of the period.
    public internal(set) var days: [Day] = []
    /// The number of times that cards became full.
    public internal(set) var filled = 0
    /// Customers who were active in the period.
    public internal(set) var activeCustomers = 0
    /// The number of ``activeCustomers`` who were active on two days or more.
    public internal(set) var returningCustomers = 0
    public internal(set) var cohorts: [Cohort] = []
    public internal(set) var staff: [AccountID: StaffActivity] = [:]
    /// Cards with far more than their share of stamps, the largest shares first.
    public internal(set) var concentratedCards: [Share<CardID>] = []
    /// Members of staff with far more than their share of stamps, the largest shares first.
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
    /// One shop of the owner, with the figures of this shop alone.
    public struct Part: Hashable, Sendable {
        public let shop: ShopID
        public let report: ShopReport
    }

    /// The figures of all shops together.
    public let together: ShopReport
    /// Each shop, in the order in which they were requested.
    public let parts: [Part]
}

/// A report on all shops of an owner while it is being made. The shops are read one after the other, so that other requests can run in
/// between. Because of that, the parts of the report are as of different moments.
///
/// Each event belongs to the shop at which it happened. In the figures of all shops together, a customer who was at two of the shops on a
/// day is active once, a customer's first activity is the earliest at any of the shops, and each card and each member of staff has one
/// line, even if the card was used, or the person worked, at several of the shops.
public struct BrandMaking: Sendable {
    let period: ReportPeriod
    var together: ReportMaking
    var parts: [BrandReport.Part] = []
    /// The first activity ever of each customer at any of the shops.
    var firsts: [AccountID: Quarter] = [:]
    /// The customers of all shops in the order of their ids; nil until they are needed.
    var customers: [AccountID]?
    /// The maximum number of rows that one reading of a shop may read.
    let rowsMax: Int
    /// The maximum number of entries that ``together`` may hold. It bounds ``customers`` and ``firsts`` too, which have no other customers.
    let entriesMax: Int
    /// The number of rows that the last reading of a shop read.
    var rows = 0

    public init(_ period: ReportPeriod) {
        self.init(period, rowsMax: ReadModelLimits.statisticsRowsMax)
    }

    init(_ period: ReportPeriod, rowsMax: Int, entriesMax: Int = ReadModelLimits.brandEntriesMax) {
        (self.period, together) = (period, ReportMaking(period))
        (self.rowsMax, self.entriesMax) = (rowsMax, entriesMax)
    }

    /// The report on the shops that were added.
    public var report: BrandReport { BrandReport(together: together.report(firsts: firsts), parts: parts) }
}

/// The number of rows that were read of one shop.
struct ReportRows: Sendable {
    private let max: Int
    private(set) var number = 0

    init(max: Int) { self.max = max }

    /// Counts a row of a shop; throws if it is one too many.
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
    /// The days on which each customer was active.
    private var activeDays: [AccountID: Set<Int>] = [:]
    private var cardStamps: [CardID: Int] = [:]
    private var staff: [AccountID: StaffActivity] = [:]
    private var filled = 0
    /// The number of all days in ``activeDays``.
    private var visitDays = 0

    /// The number of entries that are held: one for each card, and one for each day on which a customer was active.
    var entries: Int { cardStamps.count + visitDays }

    package init(_ period: ReportPeriod) {
        self.period = period
        days = period.days.map { ShopReport.Day(day: $0) }
    }

    /// Adds the activity of a card; ignores activity outside the period.
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

    /// Adds the activity of a member of staff; ignores activity outside the period.
    package mutating func add(_ activity: StaffActivity, by member: AccountID, in quarter: Quarter) {
        guard let (place, _) = place(of: quarter) else { return }
        days[place].codes += activity.codes
        staff[member, default: StaffActivity()].add(activity)
    }

    /// - Parameter firsts: the first activity ever of each active customer.
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

    /// The customers who were active in the period.
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
                // No activity is before the customer's first one, unless a row is damaged. The report ignores such activity.
                for week in weeks where week >= 0 { active[week] += 1 }
            }
            return ShopReport.Cohort(monday: monday, customers: accounts.count, active: active)
        }
    }

    /// The cards or members of staff that have at least ``ReadModelLimits/concentrationStampsMin`` stamps, and at least `factor` times the
    /// average number.
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
    /// The report on a shop, as of the model's position. The report reads every row of the shop in the period. A card has one row for each
    /// quarter of an hour in which it was used. Each customer of the period has one row more.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/statisticsRowsMax`` rows,
    ///   ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func report(of shop: ShopID, _ period: ReportPeriod) throws(ReadModelError) -> ShopReport {
        try countedReport(of: shop, period).report
    }

    /// The report of ``report(of:_:)``, and the number of rows that it read.
    func countedReport(
        of shop: ShopID, _ period: ReportPeriod, rowsMax: Int = ReadModelLimits.statisticsRowsMax
    ) throws(ReadModelError) -> (report: ShopReport, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (making, rows) = (ReportMaking(period), ReportRows(max: rowsMax))
            try walk(cards, of: shop, period.quarters, &rows, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                making.add(try self.card(row), of: CardID(card), in: quarter)
            }
            try walk(staff, of: shop, period.quarters, &rows, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                making.add(try member(row), by: AccountID(account), in: quarter)
            }
            let found = try firsts(of: making.customers.sorted(), at: shop, &rows, in: snapshot)
            return (making.report(firsts: found), rows.number)
        }
    }

    /// Adds a shop to the report on an owner's shops. Reads every row of the shop in the period. After an error, the report is of no use.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/statisticsRowsMax`` rows of the shop, or more than
    ///   ``ReadModelLimits/brandEntriesMax`` entries of all shops that were added, ``ReadModelError/Code/damaged``,
    ///   ``ReadModelError/Code/storage``.
    public func add(_ shop: ShopID, to brand: inout BrandMaking) throws(ReadModelError) {
        var (making, together, rows) = (ReportMaking(brand.period), ReportMaking(brand.period), ReportRows(max: brand.rowsMax))
        // A swap, because a copy of what was added for all shops so far would be made for each shop.
        swap(&together, &brand.together)
        let (period, entriesMax) = (brand.period, brand.entriesMax)
        let report = try store.reading { (snapshot) throws(ReadModelError) in
            try walk(cards, of: shop, period.quarters, &rows, in: snapshot) { (quarter, card, row) throws(ReadModelError) in
                let activity = try self.card(row)
                making.add(activity, of: CardID(card), in: quarter)
                together.add(activity, of: CardID(card), in: quarter)
                guard together.entries <= entriesMax else {
                    throw ReadModelError(
                        .tooMuch, model: Self.name, "the shops have more than \(entriesMax) cards and customers' days for one report")
                }
            }
            try walk(staff, of: shop, period.quarters, &rows, in: snapshot) { (quarter, account, row) throws(ReadModelError) in
                let activity = try member(row)
                making.add(activity, by: AccountID(account), in: quarter)
                together.add(activity, by: AccountID(account), in: quarter)
            }
            return making.report(firsts: try firsts(of: making.customers.sorted(), at: shop, &rows, in: snapshot))
        }
        (brand.together, brand.rows, brand.customers) = (together, rows.number, nil)
        brand.parts.append(BrandReport.Part(shop: shop, report: report))
    }

    /// Adds the customers' first activity at a shop to the report on an owner's shops. Call it for each shop once all shops were added,
    /// because a customer of one shop may have come to another shop earlier, even before the period. Reads at most one row for each
    /// customer, and fewer where the shop itself had fewer customers.
    ///
    /// - Throws: as ``add(_:to:)``.
    public func addFirsts(at shop: ShopID, to brand: inout BrandMaking) throws(ReadModelError) {
        let customers = brand.customers ?? brand.together.customers.sorted()
        var rows = ReportRows(max: brand.rowsMax)
        let found = try store.reading { (snapshot) throws(ReadModelError) in
            try firsts(of: customers, at: shop, &rows, in: snapshot)
        }
        (brand.rows, brand.customers) = (rows.number, customers)
        brand.firsts.merge(found) { min($0, $1) }
    }

    /// The first activity ever of each of these customers at a shop. A customer who was never there is passed over together with all others
    /// up to the shop's next one, so that the number of rows read exceeds the number of the shop's customers by one at most.
    ///
    /// - Parameter customers: the customers in the order of their ids.
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

    private func walk(
        _ table: Table, of shop: ShopID, _ quarters: ClosedRange<Quarter>, _ rows: inout ReportRows, in snapshot: borrowing Snapshot,
        _ body: (_ quarter: Quarter, _ thing: UInt128, _ row: Span<UInt8>) throws(ReadModelError) -> Void
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(shop.value, position: quarters.lowerBound.key)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == 40, cursor.key.bigEndian128(at: 0) == shop.value {
                let quarter = Quarter(key: UInt64(truncatingIfNeeded: cursor.key.extracting(droppingFirst: 8).bigEndian128(at: 0)))
                guard quarter <= quarters.upperBound else { return }
                try rows.count(of: shop)
                try body(quarter, cursor.key.bigEndian128(at: 24), cursor.value)
                goesOn = try cursor.next()
            }
        } catch {
            throw store.wrapped(error)
        }
    }
}

extension [AccountID] {
    /// The index of the first id, at `start` or later, that is not below `id`; the count if all are below. The ids must ascend.
    fileprivate func firstIndex(from start: Int, notBelow id: AccountID) -> Int {
        var (low, high) = (start, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
