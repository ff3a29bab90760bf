public import Loyalty

struct Ledger {
    struct Row: Hashable {
        let shop: ShopID
        let month: Month
    }

    private(set) var rows: [Row: Tally] = [:]
    private(set) var holders: [AccountID: HolderTally] = [:]
    /// Figures are recorded only from the moment on at which the changed rules apply.
    var isOpen = false

    private let prices: Prices
    private var clock: ShopClock

    init(_ prices: Prices, _ rules: ProgrammeRules) {
        self.prices = prices
        clock = ShopClock(rules)
    }

    mutating func add(_ tally: Tally, holder: AccountID, campaign: CampaignID, shop: ShopID, at time: Instant) {
        guard isOpen, tally != Tally() else { return }
        var tally = tally
        tally.cents = tally.redeemed * prices.cents(of: campaign)
        rows[Row(shop: shop, month: clock.month(time, at: shop)), default: Tally()].add(tally)
        holders[holder, default: HolderTally()].add(tally)
    }
}

/// Figures of cards. A reversal is subtracted in the month in which it happened.
public struct Tally: Hashable, Sendable {
    /// With operators' corrections, without reversed stamps.
    public var stamps = 0
    public var opened = 0
    /// Coupons are full when they are opened. A correction or reversal that makes a card incomplete is subtracted.
    public var filled = 0
    /// Without reversed rewards.
    public var redeemed = 0
    /// Without reversed ones. They have no price.
    public var milestones = 0
    /// The cost of ``redeemed``, in cents.
    public var cents = 0

    /// Adds the other figures to these.
    public mutating func add(_ other: Tally) {
        stamps += other.stamps
        opened += other.opened
        filled += other.filled
        redeemed += other.redeemed
        milestones += other.milestones
        cents += other.cents
    }

    /// These figures minus the other figures.
    public func less(_ other: Tally) -> Tally {
        Tally(
            stamps: stamps - other.stamps, opened: opened - other.opened, filled: filled - other.filled,
            redeemed: redeemed - other.redeemed, milestones: milestones - other.milestones, cents: cents - other.cents)
    }
}

/// Only twelve bytes, because there may be millions of accounts.
struct HolderTally: Hashable {
    var stamps: Int32 = 0
    var filled: Int32 = 0
    var redeemed: Int32 = 0

    mutating func add(_ tally: Tally) {
        stamps &+= Int32(clamping: tally.stamps)
        filled &+= Int32(clamping: tally.filled)
        redeemed &+= Int32(clamping: tally.redeemed)
    }
}

/// The accounts that gain and lose by the changed rules, compared by rewards, then filled cards, then stamps.
public struct AccountChanges: Hashable, Sendable {
    /// An account's figures under the changed rules minus those under the recorded rules.
    public struct Change: Hashable, Sendable {
        public let account: AccountID
        public let redeemed: Int
        public let filled: Int
        public let stamps: Int

        var weight: (Int, Int, Int) { (redeemed, filled, stamps) }
    }

    /// From the greatest gain to the greatest loss; equal changes are ordered by id.
    public let changes: [Change]
    /// Accounts with the same figures under both rules.
    public let unchanged: Int

    public var gaining: Int { changes.count { $0.weight > (0, 0, 0) } }
    public var losing: Int { changes.count - gaining }

    /// At most `count` accounts, the greatest gain first.
    public func gains(top count: Int) -> [Change] { Array(changes.prefix(min(count, gaining))) }

    /// At most `count` accounts, the greatest loss first.
    public func losses(top count: Int) -> [Change] { Array(changes.suffix(min(count, losing)).reversed()) }

    init(_ before: Ledger, _ after: Ledger) {
        let accounts = Set(before.holders.keys).union(after.holders.keys)
        changes = accounts.compactMap { account in
            let (was, now) = (before.holders[account] ?? HolderTally(), after.holders[account] ?? HolderTally())
            guard was != now else { return nil }
            return Change(
                account: account, redeemed: Int(now.redeemed - was.redeemed), filled: Int(now.filled - was.filled),
                stamps: Int(now.stamps - was.stamps))
        }.sorted { left, right in left.weight == right.weight ? left.account < right.account : left.weight > right.weight }
        unchanged = accounts.count - changes.count
    }
}
