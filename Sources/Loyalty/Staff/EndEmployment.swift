/// End an account's employment, and any open offer of work to it; for the owner only.
public struct RemoveStaff: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Stop working for a shop; for staff only, because the owner cannot leave.
public struct LeaveShop: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) {
        self.shop = shop
    }
}

extension RemoveStaff: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// The owner of a suspended shop may also end an employment, because the command only takes access away.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        return known.leaving(of: account, at: now)
    }
}

extension LeaveShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// A member of the staff may also leave a suspended shop.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        guard known.owner != actor else { throw .forbidden }
        return known.members[actor] == nil ? [] : known.leaving(of: actor, at: now)
    }
}

extension Shop {
    /// The events that end an employment and any open offer of work to the account. A former member can return only by a new offer.
    fileprivate func leaving(of account: AccountID, at now: Instant) -> [LoyaltyEvent] {
        let left = members[account].map { _ in EmploymentEnded(shop: id, account: account) }
        return (left.map { [.employmentEnded($0)] } ?? []) + withdrawal(of: account, at: now)
    }

    /// The event that ends an open offer of work to an account. An offer whose time is in the future, because it was made while the clock
    /// was fast, is also ended.
    func withdrawal(of account: AccountID, at now: Instant) -> [LoyaltyEvent] {
        guard let offer = offers[account], now < offer.expiresAt else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: offer.invitation, shop: id, account: account))]
    }
}
