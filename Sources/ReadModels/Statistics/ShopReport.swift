public import Loyalty

/// What happened at a shop in some days.
///
/// Definitions, all of the days of the period only, in the zone that was asked for:
/// - a customer is **active** on a day on which one of their cards there was opened, stamped or redeemed;
/// - **filled** counts how often cards became full, by codes' stamps or an operator's; a card whose reward is taken back is full once more
///   without being counted once more;
/// - **redemptionRate**: rewards handed out less those taken back, never below none, for each time that a card became full; above 1 where
///   cards of before were redeemed; nil where no card became full;
/// - **repeatVisitRate**: of the customers active in the period, the share active on two days of it or more; nil where none was;
/// - a **cohort** is those whose first activity at the shop, ever, was in one week (Monday to Sunday) that begins in the period; its
///   `active` has, for that week and each one after it up to the last of the period, how many of them were active;
/// - **stamps by a member of staff** are those that their codes added, on the day when they were added;
/// - the **concentration** names cards and members of staff with far more than their share: see ``ReadModelLimits``.
public struct ShopReport: Hashable, Sendable {
    /// One day's sums.
    public struct Day: Hashable, Sendable {
        /// Days since 1970-01-01 in the zone.
        public let day: Int
        public internal(set) var codes = 0
        public internal(set) var stamps = 0
        public internal(set) var newCards = 0
        public internal(set) var activeCustomers = 0
        public internal(set) var redemptions = 0
        /// Rewards taken back on this day, whenever they had been handed out.
        public internal(set) var reversals = 0

        init(day: Int) { self.day = day }
    }

    /// The new customers of one week, and how many of them came again.
    public struct Cohort: Hashable, Sendable {
        /// The Monday that the week begins with.
        public let monday: Int
        public let customers: Int
        /// For the cohort's own week first.
        public let active: [Int]
    }

    /// A card or a member of staff, and how much of all stamps it has.
    public struct Share<Thing: Hashable & Sendable>: Hashable, Sendable {
        public let thing: Thing
        public let stamps: Int
        /// Of all stamps of the period.
        public let share: Double
    }

    /// Every day of the period.
    public internal(set) var days: [Day] = []
    /// How often cards became full.
    public internal(set) var filled = 0
    /// Customers active in the period.
    public internal(set) var activeCustomers = 0
    /// Of those, active on two days or more.
    public internal(set) var returningCustomers = 0
    public internal(set) var cohorts: [Cohort] = []
    public internal(set) var staff: [AccountID: StaffActivity] = [:]
    /// The largest shares first.
    public internal(set) var concentratedCards: [Share<CardID>] = []
    /// The largest shares first.
    public internal(set) var concentratedStaff: [Share<AccountID>] = []

    public var codes: Int { days.reduce(0) { $0 + $1.codes } }
    public var stamps: Int { days.reduce(0) { $0 + $1.stamps } }
    public var newCards: Int { days.reduce(0) { $0 + $1.newCards } }
    public var redemptions: Int { days.reduce(0) { $0 + $1.redemptions } }
    public var reversals: Int { days.reduce(0) { $0 + $1.reversals } }
    public var redemptionRate: Double? { filled > 0 ? Double(max(0, redemptions - reversals)) / Double(filled) : nil }
    public var repeatVisitRate: Double? { activeCustomers > 0 ? Double(returningCustomers) / Double(activeCustomers) : nil }
}
