public import EventLog
public import Loyalty

extension EventLog {
    /// The largest number of accounts that ``accountsLackingKeys(_:)`` looks for.
    static var lackingLookedForMax: Int { 600 }
    /// The number of newest events in which ``accountsLackingKeys(_:)`` looks for accounts.
    static var lackingEventsMax: UInt64 { 100_000 }

    /// The number of accounts that are newer than the newest account with a key. If there are any, the keys are a copy from before these
    /// accounts registered.
    ///
    /// Erased accounts do not count. If an account without a key is older than an account with a key, it does not count either: the keys
    /// are not from before its registration, so its own key was given up or lost. The search is bounded, so the true number may be larger.
    ///
    /// - Parameter hasKey: whether an account has a key.
    public func accountsLackingKeys(_ hasKey: (AccountID) throws -> Bool) throws -> Int {
        let end = head
        let start = Position(end.rawValue - min(end.rawValue, Self.lackingEventsMax))
        var (accounts, erased) = ([AccountID](), Set<AccountID>())
        try scan(after: start, through: end) { position, record in
            guard record.type == .accountRegistered || record.type == .accountErased else { return true }
            switch try LoyaltyCodec.decode(record, at: position).event {
            case .accountRegistered(let event): accounts.append(event.account)
            case .accountErased(let event): erased.insert(event.account)
            default: break
            }
            return true
        }
        let newest = accounts.filter { !erased.contains($0) }.suffix(Self.lackingLookedForMax)
        var lacking = 0
        for account in newest.reversed() {
            if try hasKey(account) { return lacking }
            lacking += 1
        }
        // None of these accounts has a key. Then the keys are an old copy only if older accounts, which were not looked at, have keys.
        let isWhole = start == .start && newest.count == accounts.count - erased.count
        return try !isWhole && holdsKeys(hasKey) == true ? lacking : 0
    }
}
