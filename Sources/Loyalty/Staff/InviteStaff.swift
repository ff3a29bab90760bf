/// Offer an account work at a shop, or give a member of the staff another role; for the owner only.
public struct InviteStaff: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// `nil`, from clients older than roles, offers ``Role/counter`` and changes no member or open offer.
    public let role: Role?

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, role: Role? = nil) {
        (self.invitation, self.shop, self.account, self.role) = (invitation, shop, account, role)
    }
}

/// The facts that an offer to work at a shop, or to own it, needs.
public struct InviteStaffSituation: Hashable, Sendable {
    public let shop: Shop?
    public let invitationWithID: Invitation?
}

extension InviteStaff: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InviteStaffSituation {
        InviteStaffSituation(shop: try past.shop(shop), invitationWithID: try past.invitation(invitation))
    }

    /// A higher role needs consent; a lower one takes effect at once.
    ///
    /// Unknown accounts are treated like others, so that nothing reveals which accounts exist.
    public func decide(_ situation: InviteStaffSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.shop.owned(by: actor)
        // Only a transfer changes the owner.
        try FieldChecks.check { $0.require(role != .owner, "role", .noStaffRole) }
        if let held = known.role(of: account) {
            guard let role, held != .owner else { return [] }
            if role < held {
                let lowered = RoleChanged(shop: shop, account: account, invitation: nil, role: role)
                return [.roleChanged(lowered)] + known.withdrawal(of: account)
            }
            if role == held { return known.withdrawal(of: account) }
        }
        return try offer(situation, at: known, now)
    }

    private func offer(_ situation: InviteStaffSituation, at known: Shop, _ now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard !known.isSuspended else { throw .suspended }
        let open = known.offers.filter { $0.value.isOpen(at: now) }
        if let offer = open[account], role == nil || role == offer.role { return [] }
        guard situation.invitationWithID == nil else { throw .notFound }
        let others = open.filter { $0.key != account }
        let newcomers = others.count { known.members[$0.key] == nil } + (known.members[account] == nil ? 1 : 0)
        var checks = FieldChecks()
        checks.require(known.members.count + newcomers <= Limits.staffMax, "account", .staff(max: Limits.staffMax))
        checks.require(known.hirings + others.count < Limits.hiringsPerShop, "", .hirings(max: Limits.hiringsPerShop))
        try checks.verdict()
        let invited = StaffInvited(
            invitation: invitation, shop: shop, account: account, expiresAt: now.advanced(bySeconds: Limits.invitationValiditySeconds),
            role: role ?? .counter)
        return known.openWithdrawal(of: account, at: now) + [.staffInvited(invited)]
    }
}
