/// Throw a card away; holder only.
public struct DiscardCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) {
        self.card = card
    }
}

/// The facts that throwing a card away needs.
public struct DiscardCardSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?

    public init(actor: Account?, card: Card?) {
        self.actor = actor
        self.card = card
    }
}

extension DiscardCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DiscardCardSituation {
        DiscardCardSituation(actor: try past.account(actor), card: try past.card(card))
    }

    /// The holder may discard any card, including a redeemed one. A pending redemption code for it stops working.
    public func decide(_ situation: DiscardCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card, known.holder == actor else { throw .notFound }
        guard known.status != .discarded else { return [] }
        return [.cardDiscarded(CardDiscarded(card: card, campaign: known.campaign, shop: known.shop, holder: actor))]
    }
}
