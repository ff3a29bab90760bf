/// End an account's employment, and any open offer of work to it; for the owner only.
public struct RemoveStaff: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) { (self.shop, self.account) = (shop, account) }
}

/// Stop working for a shop; for staff only, because the owner cannot leave.
public struct LeaveShop: Hashable, Sendable {
    public let shop: ShopID

    public init(shop: ShopID) { self.shop = shop }
}

extension RemoveStaff: ShopDecision {
    /// Allowed at a suspended shop, because the command only takes access away.
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.owned(by: actor)
        return known.leaving(of: account)
    }
}

extension LeaveShop: ShopDecision {
    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        guard known.owner != actor else { throw .forbidden }
        return known.members[actor] == nil ? [] : known.leaving(of: actor)
    }
}

extension Shop {
    fileprivate func leaving(of account: AccountID) -> [LoyaltyEvent] {
        let left = members[account].map { _ in EmploymentEnded(shop: id, account: account) }
        return (left.map { [.employmentEnded($0)] } ?? []) + withdrawal(of: account)
    }

    /// Ends an offer whatever its times: once a fast clock is set back, the offer would be open again.
    func withdrawal(of account: AccountID) -> [LoyaltyEvent] {
        guard let offer = offers[account] else { return [] }
        return [.invitationEnded(InvitationEnded(invitation: offer.invitation, shop: id, account: account))]
    }

    /// Ends any offer that has not lapsed, even one in the future, which a fast clock made.
    func openWithdrawal(of account: AccountID, at now: Instant) -> [LoyaltyEvent] {
        guard let offer = offers[account], now < offer.expiresAt else { return [] }
        return withdrawal(of: account)
    }
}
