/// Take an offer of work to an unregistered person. The caller MUST know that the actor has verified the number reserved for that person.
public struct TakeWaitingOffer: Hashable, Sendable {
    public let invitation: InvitationID

    public init(invitation: InvitationID) { self.invitation = invitation }
}

/// The facts that taking a waiting offer needs.
public struct TakeWaitingOfferSituation: Hashable, Sendable {
    public let invitation: Invitation?
    public let shop: Shop?
    /// The offer of an account that is or was registered is that account's.
    public let isAccount: Bool
}

extension TakeWaitingOffer: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> TakeWaitingOfferSituation {
        guard let known = try past.invitation(invitation) else {
            return TakeWaitingOfferSituation(invitation: nil, shop: nil, isAccount: false)
        }
        let (account, wasErased) = (try past.account(known.account), try past.wasErased(known.account))
        return TakeWaitingOfferSituation(
            invitation: known, shop: try past.shop(known.shop), isAccount: account != nil || wasErased)
    }

    /// An offer that the actor could not accept stays where it is, and lapses. Only offers of work wait: a number may change hands, and a
    /// shop would go with it.
    public func decide(_ situation: TakeWaitingOfferSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let offer = situation.invitation, let shop = situation.shop else { throw .notFound }
        guard offer.account != actor else { return [] }
        guard !situation.isAccount, offer.role != .owner else { throw .notFound }
        let isHigher = shop.role(of: actor).map { $0 < offer.role } ?? true
        // The account's own offer, which it may have seen, stays.
        let isFree = shop.offers[actor].map { $0.expiresAt <= now } ?? true
        guard offer.status(at: now, of: shop) == .open, isHigher, isFree else { return [] }
        return [.waitingOfferTaken(WaitingOfferTaken(invitation: invitation, shop: shop.id, account: actor))]
    }
}
