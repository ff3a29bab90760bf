/// Accept an offer to work for a shop; the invited account only.
public struct AcceptInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) {
        self.invitation = invitation
    }
}

/// Decline an offer to work for a shop; the invited account only.
public struct DeclineInvitation: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) {
        self.invitation = invitation
    }
}

/// Take back an offer to work for a shop; its owner only.
public struct WithdrawInvitation: Hashable, Sendable {
    public let shop: ShopID
    public let invitation: InvitationID

    public init(shop: ShopID, invitation: InvitationID) {
        self.shop = shop
        self.invitation = invitation
    }
}

/// The facts that answering an offer needs.
public struct InvitationSituation: Hashable, Sendable {
    public let actor: Account?
    public let invitation: Invitation?
    /// The offer's.
    public let shop: Shop?
    /// The shop's owner, unless erased.
    public let owner: Account?

    public init(actor: Account?, invitation: Invitation?, shop: Shop?, owner: Account?) {
        self.actor = actor
        self.invitation = invitation
        self.shop = shop
        self.owner = owner
    }

    static func load<P: Past>(
        _ invitation: InvitationID, in past: inout P, by actor: AccountID
    ) throws(P.Failure) -> InvitationSituation {
        let account = try past.account(actor)
        guard let known = try past.invitation(invitation), let shop = try past.shop(known.shop) else {
            return InvitationSituation(actor: account, invitation: nil, shop: nil, owner: nil)
        }
        return InvitationSituation(actor: account, invitation: known, shop: shop, owner: try past.account(shop.owner))
    }

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

    /// Cards that the account holds there already stay its own; from now on they neither gain stamps nor are redeemed.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let (offer, shop) = try situation.offered(to: actor)
        switch offer.status(at: now) {
        case .accepted where shop.employs(actor): return []
        case .accepted, .ended, .lapsed: throw .offerNotOpen
        case .open: break
        }
        // An offer of an erased owner cannot be accepted.
        guard situation.owner != nil, !shop.employs(actor) else { throw .offerNotOpen }
        guard !shop.isSuspended else { throw .suspended }
        return [.staffJoined(StaffJoined(invitation: invitation, shop: shop.id, account: actor))]
    }
}

extension DeclineInvitation: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> InvitationSituation {
        try .load(invitation, in: &past, by: actor)
    }

    /// Declining what was declined or withdrawn before changes nothing.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let (offer, shop) = try situation.offered(to: actor)
        switch offer.status(at: now) {
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

    /// Unlike `RemoveStaff`, it never ends the employment of an account that has accepted meanwhile.
    public func decide(_ situation: InvitationSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.shop else { throw .notFound }
        guard known.owner == actor else { throw .forbidden }
        guard let offer = situation.invitation, offer.shop == shop else { throw .notFound }
        switch offer.status(at: now) {
        case .ended: return []
        case .accepted, .lapsed: throw .offerNotOpen
        case .open: return [.invitationEnded(InvitationEnded(invitation: invitation, shop: shop, account: offer.account))]
        }
    }
}
