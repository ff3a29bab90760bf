public import Loyalty

/// Who gains and who loses: an account gains that has more rewards handed out, or as many and more full cards, or as many of both
/// and more stamps.
public struct AccountChanges: Hashable, Sendable {
    /// What is other for one account: after less before.
    public struct Change: Hashable, Sendable {
        public let account: AccountID
        public let redeemed: Int
        public let filled: Int
        public let stamps: Int

        /// What decides: rewards first, then full cards, then stamps.
        var weight: (Int, Int, Int) { (redeemed, filled, stamps) }
    }

    /// Whoever gains or loses, the greatest gain first and the greatest loss last; of equals the lesser id first.
    public let changes: [Change]
    /// Accounts with a card for which nothing is other.
    public let unchanged: Int

    public var gaining: Int { changes.count { $0.weight > (0, 0, 0) } }
    public var losing: Int { changes.count - gaining }

    /// The greatest gains, the greatest first.
    public func gains(top count: Int) -> [Change] {
        Array(changes.prefix(min(count, gaining)))
    }

    /// The greatest losses, the greatest first.
    public func losses(top count: Int) -> [Change] {
        Array(changes.suffix(min(count, losing)).reversed())
    }

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
