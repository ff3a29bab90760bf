/// The role of a person at one shop. Each role has the rights of the roles below it.
public enum Role: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// A person with this role may issue codes, add stamps, hand out rewards, and reverse mistakes within a day.
    case counter = 1
    /// A person with this role may also manage campaigns, notices and other people's codes, and see statistics.
    case manager = 2
    /// A person with this role may also manage the shop itself: its data, its staff, its transfer and its closing. A shop has one owner.
    case owner = 3

    public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

    /// The role's name in the API and in descriptions of events.
    public var name: String {
        switch self {
        case .counter: "counter"
        case .manager: "manager"
        case .owner: "owner"
        }
    }
}

/// A person who works for a shop and does not own it.
public struct Member: Hashable, Sendable {
    /// The role: ``Role/counter`` or ``Role/manager``.
    public var role: Role
    /// The beginning of the employment. A change of role does not affect it.
    public let since: Instant

    public init(role: Role, since: Instant) {
        (self.role, self.since) = (role, since)
    }
}

extension Shop {
    /// Everybody who works for the shop, except its owner.
    public var staff: Set<AccountID> { Set(members.keys) }

    /// The role of an account at this shop; `nil` if the account does not work at the shop.
    public func role(of account: AccountID) -> Role? {
        account == owner ? .owner : members[account]?.role
    }

    /// Whether this account owns the shop or works for it. Such an account is never a customer of the shop: it neither gains stamps nor
    /// redeems cards there.
    public func employs(_ account: AccountID) -> Bool { role(of: account) != nil }

    /// Requires that an account has at least this role.
    ///
    /// - Throws: `.forbidden` for an account that does not work at the shop, `.roleRequired` for a lower role.
    public func require(_ role: Role, of account: AccountID) throws(Rejection) {
        guard let held = self.role(of: account) else { throw .forbidden }
        guard held >= role else { throw .roleRequired }
    }
}
