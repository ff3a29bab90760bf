extension Redemption: Folded {
    public init?(opening fact: Fact) {
        guard case .redemptionRequested(let event) = fact.event else { return nil }
        self.init(
            id: event.redemption, card: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder,
            secret: event.secret, attempt: event.attempt, requestedAt: fact.time, expiresAt: event.expiresAt, isRedeemed: false)
    }

    public mutating func evolve(_ fact: Fact) {
        guard case .cardRedeemed(let event) = fact.event, event.redemption == id else { return }
        isRedeemed = true
    }
}
