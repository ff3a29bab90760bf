/// Accept an offer to work for a shop, or to own it; for the invited account only.
public struct AcceptInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) { self.invitation = invitation }
}

/// Decline an offer to work for a shop, or to own it; for the invited account only.
public struct DeclineInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) { self.invitation = invitation }
}

/// Withdraw an offer to work for a shop, or to own it; for the shop's owner only.
public struct WithdrawInvitation: Hashable, Sendable {
    public let shop: ShopID
    public let invitation: InvitationID

    public init(shop: ShopID, invitation: InvitationID) { (self.shop, self.invitation) = (shop, invitation) }
}

/// The facts that answering or withdrawing an offer needs.
public struct InvitationSituation: Hashable, Sendable {
    public let invitation: Invitation?
    public let shop: Shop?
    /// Not loaded for a withdrawal.
    public let owner: Account?
    public private(set) var ownShops: [Shop] = []

    static func load<P: Past>(_ invitation: InvitationID, in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        guard let known = try past.invitation(invitation), let shop = try past.shop(known.shop) else {
            return InvitationSituation(invitation: nil, shop: nil, owner: nil)
        }
        let owned = known.role == .owner && known.account == actor ? try past.shops(ownedBy: actor) : []
        return InvitationSituation(invitation: known, shop: shop, owner: try past.account(shop.owner), ownShops: owned)
    }

    /// A suspended owner's offers may be those of a thief.
    fileprivate var isOwnerActive: Bool { owner.map { !$0.isSuspended } ?? false }

    /// - Throws: `.notFound` also for anybody else, who must not know of the offer.
    func offered(to actor: AccountID) throws(Rejection) -> (offer: Invitation, shop: Shop) {
        guard let invitation, let shop, invitation.account == actor else { throw .notFound }
        return (invitation, shop)
    }
}

extension AcceptInvitation: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        try .load(invitation, in: &past, by: actor)
    }

    /// The account's cards at the shop remain, but gain no stamps and cannot be redeemed.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let (offer, shop) = try situation.offered(to: actor)
        if offer.role == .owner { return try situation.takeOver(offer, shop, at: now) }
        switch offer.status(at: now, of: shop) {
        case .accepted where shop.employs(actor): return []
        case .accepted, .ended, .lapsed: throw .offerNotOpen
        case .open: break
        }
        let held = shop.role(of: actor)
        // Accepting an offer never lowers a role.
        guard situation.isOwnerActive, held.map({ $0 < offer.role }) ?? true else { throw .offerNotOpen }
        guard !shop.isSuspended else { throw .suspended }
        guard held == nil else {
            return [.roleChanged(RoleChanged(shop: shop.id, account: actor, invitation: invitation, role: offer.role))]
        }
        return [.staffJoined(StaffJoined(invitation: invitation, shop: shop.id, account: actor, role: offer.role))]
    }
}

extension InvitationSituation {
    /// Offers of work end, because the new owner chooses whom to hire. The shop's data key is its own, so the new owner can read its data.
    fileprivate func takeOver(_ offer: Invitation, _ shop: Shop, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let status = offer.status(at: now, of: shop)
        if status == .accepted, shop.owner == offer.account { return [] }
        guard shop.closing == nil else { throw .shopClosed }
        guard status == .open, isOwnerActive, shop.owner != offer.account else { throw .offerNotOpen }
        guard !shop.isSuspended else { throw .suspended }
        try ownShops.requireRoom()
        let transferred = ShopTransferred(invitation: offer.id, shop: shop.id, account: offer.account, formerOwner: shop.owner)
        return [.shopTransferred(transferred)] + shop.offers.keys.sorted().flatMap { shop.withdrawal(of: $0) }
    }
}

extension DeclineInvitation: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        try .load(invitation, in: &past, by: actor)
    }

    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let (offer, shop) = try situation.offered(to: actor)
        switch offer.status(at: now, of: shop) {
        case .ended: return []
        case .accepted, .lapsed: throw .offerNotOpen
        case .open: return [.invitationEnded(InvitationEnded(invitation: invitation, shop: shop.id, account: actor))]
        }
    }
}

extension WithdrawInvitation: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        InvitationSituation(invitation: try past.invitation(invitation), shop: try past.shop(shop), owner: nil)
    }

    /// Never ends an employment, even if the account has accepted meanwhile.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.shop.owned(by: actor)
        guard let offer = situation.invitation, offer.shop == shop else { throw .notFound }
        switch offer.status(at: now, of: known) {
        case .ended: return []
        case .accepted, .lapsed: throw .offerNotOpen
        case .open: return [.invitationEnded(InvitationEnded(invitation: invitation, shop: shop, account: offer.account))]
        }
    }
}
