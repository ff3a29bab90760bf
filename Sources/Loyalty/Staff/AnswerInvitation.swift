/// Accept an offer to work for a shop, or to own it; for the invited account only.
public struct AcceptInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) {
        self.invitation = invitation
    }
}

/// Decline an offer to work for a shop, or to own it; for the invited account only.
public struct DeclineInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) {
        self.invitation = invitation
    }
}

/// Withdraw an offer to work for a shop, or to own it; for the shop's owner only.
public struct WithdrawInvitation: Hashable, Sendable {
    public let shop: ShopID
    public let invitation: InvitationID

    public init(shop: ShopID, invitation: InvitationID) {
        self.shop = shop
        self.invitation = invitation
    }
}

/// The facts that answering or withdrawing an offer needs.
public struct InvitationSituation: Hashable, Sendable {
    public let actor: Account?
    public let invitation: Invitation?
    /// The shop of the offer.
    public let shop: Shop?
    /// The shop's owner; `nil` if that account was erased. It is not loaded for the withdrawal of an offer.
    public let owner: Account?
    /// All shops that the actor owns; loaded only if a shop was offered to the actor.
    public let ownShops: [Shop]

    public init(actor: Account?, invitation: Invitation?, shop: Shop?, owner: Account?, ownShops: [Shop] = []) {
        self.actor = actor
        self.invitation = invitation
        self.shop = shop
        self.owner = owner
        self.ownShops = ownShops
    }

    static func load<P: Past>(
        _ invitation: InvitationID, in past: inout P, by actor: AccountID
    ) throws(P.Failure) -> InvitationSituation {
        let account = try past.account(actor)
        guard let known = try past.invitation(invitation), let shop = try past.shop(known.shop) else {
            return InvitationSituation(actor: account, invitation: nil, shop: nil, owner: nil)
        }
        let owned = known.role == .owner && known.account == actor ? try past.shops(ownedBy: actor) : []
        return InvitationSituation(
            actor: account, invitation: known, shop: shop, owner: try past.account(shop.owner), ownShops: owned)
    }

    /// Whether the shop's owner is neither erased nor suspended. Offers of an erased or suspended owner cannot be accepted: an account that
    /// a thief has taken over is suspended, and its offers may be the thief's. If the owner is reinstated, the offers can be accepted again
    /// until they lapse.
    fileprivate var isOwnerActive: Bool { owner.map { !$0.isSuspended } ?? false }

    /// The offer and its shop. Only the invited account may know that the offer exists.
    ///
    /// - Throws: `.notFound`.
    func offered(to actor: AccountID) throws(Rejection) -> (offer: Invitation, shop: Shop) {
        guard self.actor != nil, let invitation, let shop, invitation.account == actor else { throw .notFound }
        return (invitation, shop)
    }
}

extension AcceptInvitation: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        try .load(invitation, in: &past, by: actor)
    }

    /// Cards that the account holds at the shop remain its own, but they no longer gain stamps, and cannot be redeemed. An accepted higher
    /// role replaces a member's present role.
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
    /// The shop gets a new owner and keeps its campaigns, cards and staff. A suspended shop can be taken over only after it is reinstated,
    /// and a closed shop never. Unanswered offers of work end, because the new owner chooses whom to hire.
    ///
    /// The shop has a data key of its own, so the new owner can read the shop's sealed data.
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

    /// Declining an offer that was already declined or withdrawn changes nothing.
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
        let account = try past.account(actor)
        let (known, at) = (try past.invitation(invitation), try past.shop(shop))
        return InvitationSituation(actor: account, invitation: known, shop: at, owner: nil)
    }

    /// Unlike `RemoveStaff`, this command never ends an employment: if the account has accepted in the meantime, nothing is withdrawn.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.shop else { throw .notFound }
        try known.require(.owner, of: actor)
        guard let offer = situation.invitation, offer.shop == shop else { throw .notFound }
        switch offer.status(at: now, of: known) {
        case .ended: return []
        case .accepted, .lapsed: throw .offerNotOpen
        case .open: return [.invitationEnded(InvitationEnded(invitation: invitation, shop: shop, account: offer.account))]
        }
    }
}
