/// Discard a card; for its holder only.
public struct DiscardCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) { self.card = card }
}

extension DiscardCard: Decision {
    public typealias Situation = (actor: Account?, card: Card?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (actor: try past.account(actor), card: try past.card(card))
    }

    /// The holder may discard even a redeemed card. Its redemption code stops working.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card, known.holder == actor else { throw .notFound }
        guard known.status != .discarded else { return [] }
        return [.cardDiscarded(CardDiscarded(card: card, campaign: known.campaign, shop: known.shop, holder: actor))]
    }
}
