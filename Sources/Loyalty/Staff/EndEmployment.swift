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
        if known.staff.contains(account) { return [.employmentEnded(EmploymentEnded(shop: shop, account: account))] }
        guard let offer = known.offers[account], offer.isOpen(at: now) else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: offer.invitation, shop: shop, account: account))]
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
        return known.staff.contains(actor) ? [.employmentEnded(EmploymentEnded(shop: shop, account: actor))] : []
    }
}
