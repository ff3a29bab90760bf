/// The role of a person at one shop. Each role has the rights of the roles below it.
public enum Role: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// May issue codes, add stamps, hand out rewards, and reverse mistakes within a day.
    case counter = 1
    /// May also manage campaigns, notices and other people's codes, and see statistics.
    case manager = 2
    /// May also manage the shop's data, staff, transfer and closing. A shop has one owner.
    case owner = 3

    public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

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
    public var role: Role
    /// A change of role does not affect it.
    public let since: Instant

    public init(role: Role, since: Instant) { (self.role, self.since) = (role, since) }
}

extension Shop {
    /// Without the owner.
    public var staff: Set<AccountID> { Set(members.keys) }

    public func role(of account: AccountID) -> Role? { account == owner ? .owner : members[account]?.role }

    /// Such an account is never the shop's customer.
    public func employs(_ account: AccountID) -> Bool { role(of: account) != nil }

    /// Throws `.forbidden` for a stranger, `.roleRequired` for a lower role.
    public func require(_ role: Role, of account: AccountID) throws(Rejection) {
        guard let held = self.role(of: account) else { throw .forbidden }
        guard held >= role else { throw .roleRequired }
    }
}
