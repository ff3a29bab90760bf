/// Offer an account a place behind the counter; owner only.
public struct InviteStaff: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        self.invitation = invitation
        self.shop = shop
        self.account = account
    }
}

/// The facts that an offer to work at a shop needs.
public struct InviteStaffSituation: Hashable, Sendable {
    public let at: ShopSituation
    public let invitationWithID: Invitation?

    public init(at: ShopSituation, invitationWithID: Invitation?) {
        self.at = at
        self.invitationWithID = invitationWithID
    }
}

extension InviteStaff: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InviteStaffSituation {
        InviteStaffSituation(at: try .load(shop, in: &past, by: actor), invitationWithID: try past.invitation(invitation))
    }

    /// The decision does not check whether the account is registered. An offer to an unknown account is recorded like any other, so that
    /// the answer, its position and its time do not reveal who exists.
    public func decide(_ situation: InviteStaffSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.at.owned(by: actor)
        guard !known.isSuspended else { throw .suspended }
        // The owner works there anyway.
        guard !known.employs(account) else { return [] }
        let open = known.offers.filter { $0.value.isOpen(at: now) }
        guard open[account] == nil else { return [] }
        guard situation.invitationWithID == nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(
            known.staff.count + open.count < Limits.staffMax, "account",
            .staff(max: Limits.staffMax))
        checks.require(
            known.hirings + open.count < Limits.hiringsPerShop, "", .hirings(max: Limits.hiringsPerShop))
        try checks.verdict()
        let expiresAt = now.advanced(bySeconds: Limits.invitationValiditySeconds)
        return [.staffInvited(StaffInvited(invitation: invitation, shop: shop, account: account, expiresAt: expiresAt))]
    }
}
