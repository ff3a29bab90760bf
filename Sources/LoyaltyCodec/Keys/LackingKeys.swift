public import EventLog
public import Loyalty

extension EventLog {
    /// The most accounts that ``accountsLackingKeys(_:)`` looks for.
    static var lackingLookedForMax: Int { 600 }
    /// The number of newest events in which ``accountsLackingKeys(_:)`` looks for accounts.
    static var lackingEventsMax: UInt64 { 100_000 }

    /// The number of the newest accounts that have no key although older ones have one: the keys are a copy from before they registered.
    ///
    /// Erased accounts do not count. Accounts without a key that are older than all with a key do not count either, because their keys were
    /// given up. The look is bounded, so the number is a least one.
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
        let isWhole = start == .start && newest.count == accounts.count - erased.count
        let held = try newest.map { try hasKey($0) }
        guard held.contains(false) else { return 0 }
        let isKnown = try !isWhole && holdsKeys(hasKey) == true
        return (isKnown ? held[...] : held.drop { !$0 }).count { !$0 }
    }
}
