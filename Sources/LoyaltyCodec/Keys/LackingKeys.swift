public import EventLog
public import Loyalty

/// Accounts of a log that have no key, because the keys are a copy from before these accounts registered.
public struct LackingKeys: Hashable, Sendable {
    /// The number of accounts without a key.
    public let count: Int
    /// The number of accounts with a key that registered after the newest of them. A newer copy of the keys lacks their keys.
    public let registeredSince: Int

    static let none = LackingKeys(count: 0, registeredSince: 0)
}

extension EventLog {
    /// The largest number of accounts that ``lackingKeys(_:)`` looks for.
    static var lackingLookedForMax: Int { 600 }
    /// The number of newest events in which ``lackingKeys(_:)`` looks for accounts.
    static var lackingEventsMax: UInt64 { 100_000 }

    /// The newest accounts without a key that are younger than an account with one.
    ///
    /// Erased accounts do not count. If all older accounts lack their keys as well, the keys were given up, and none counts. The search is
    /// bounded, so the true number may be larger.
    ///
    /// - Parameter hasKey: whether an account has a key.
    public func lackingKeys(_ hasKey: (AccountID) throws -> Bool) throws -> LackingKeys {
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
        let held = try newest.map(hasKey)
        guard let last = held.lastIndex(of: false) else { return .none }
        let oldest = held.firstIndex(of: true) ?? held.endIndex
        // Accounts that were not looked at are older than these.
        let hasOlder = try oldest > 0 && !isWhole && holdsKeys(hasKey) == true
        let lacking = held.indices.filter { !held[$0] && (hasOlder || $0 > oldest) }
        return lacking.isEmpty ? .none : LackingKeys(count: lacking.count, registeredSince: held.endIndex - 1 - last)
    }
}
