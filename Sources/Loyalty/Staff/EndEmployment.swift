/// Ends an employment, or an open offer; owner only.
public struct RemoveStaff: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Work for a shop no more; staff only, the owner cannot leave.
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

    /// A suspended shop's owner may do it too: it takes access away, and gives none.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        return known.leaving(of: account, at: now)
    }
}

extension LeaveShop: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> ShopSituation {
        try .load(shop, in: &past, by: actor)
    }

    /// A suspended shop is left like any other.
    public func decide(_ situation: ShopSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        guard known.owner != actor else { throw .forbidden }
        return known.members[actor] == nil ? [] : known.leaving(of: actor, at: now)
    }
}

extension Shop {
    /// The end of an employment and of an open offer, such as that of a higher role: a former member comes back by a new offer alone.
    fileprivate func leaving(of account: AccountID, at now: Instant) -> [LoyaltyEvent] {
        let left = members[account].map { _ in EmploymentEnded(shop: id, account: account) }
        return (left.map { [.employmentEnded($0)] } ?? []) + withdrawal(of: account, at: now)
    }

    /// The end of an offer to an account that has not lapsed, be it one of a time when the clock was ahead.
    func withdrawal(of account: AccountID, at now: Instant) -> [LoyaltyEvent] {
        guard let offer = offers[account], now < offer.expiresAt else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: offer.invitation, shop: id, account: account))]
    }
}
