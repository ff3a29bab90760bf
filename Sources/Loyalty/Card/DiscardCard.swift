/// Discard a card; for its holder only.
public struct DiscardCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) {
        self.card = card
    }
}

/// The facts that discarding a card needs.
public struct DiscardCardSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?
}

extension DiscardCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DiscardCardSituation {
        DiscardCardSituation(actor: try past.account(actor), card: try past.card(card))
    }

    /// The holder may discard even a redeemed card. Its redemption code stops working.
    public func decide(_ situation: DiscardCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card, known.holder == actor else { throw .notFound }
        guard known.status != .discarded else { return [] }
        return [.cardDiscarded(CardDiscarded(card: card, campaign: known.campaign, shop: known.shop, holder: actor))]
    }
}
