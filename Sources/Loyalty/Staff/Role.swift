/// The rights of a person at one shop. Each role has the rights of the roles below it.
public enum Role: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    /// Issues codes, stamps, redeems, and takes back within a day what was a mistake.
    case counter = 1
    /// Also campaigns, statistics, notices, and the codes of others.
    case manager = 2
    /// Also the shop itself: its data, its staff, its transfer and its closing. A shop has one owner.
    case owner = 3

    public static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

    /// The name in the API and in texts of events.
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
    /// ``Role/counter`` or ``Role/manager``.
    public var role: Role
    /// The begin of the employment. A change of the role leaves it as it is.
    public let since: Instant

    public init(role: Role, since: Instant) {
        (self.role, self.since) = (role, since)
    }
}

extension Shop {
    /// Everybody who works for the shop and does not own it.
    public var staff: Set<AccountID> { Set(members.keys) }

    /// The role of an account at this shop; `nil` for a stranger.
    public func role(of account: AccountID) -> Role? {
        account == owner ? .owner : members[account]?.role
    }

    /// Whether this account owns the shop or works for it: it acts for the shop, and therefore never as its customer.
    public func employs(_ account: AccountID) -> Bool { role(of: account) != nil }

    /// Requires that an account has at least this role.
    ///
    /// - Throws: `.forbidden` for a stranger, `.roleRequired` for a lower role.
    public func require(_ role: Role, of account: AccountID) throws(Rejection) {
        guard let held = self.role(of: account) else { throw .forbidden }
        guard held >= role else { throw .roleRequired }
    }
}

/// The owner lowered the role of a member, or a member accepted an offer of a higher one; the actor of the event tells which.
public struct RoleChanged: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID
    /// ``Role/counter`` or ``Role/manager``.
    public let role: Role
    /// The offer that the member accepted; `nil` where the owner lowered the role.
    public let invitation: InvitationID?

    public init(shop: ShopID, account: AccountID, role: Role, invitation: InvitationID?) {
        (self.shop, self.account, self.role, self.invitation) = (shop, account, role, invitation)
    }
}
