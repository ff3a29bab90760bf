extension Redemption: Folded {
    public init?(opening fact: Fact) {
        guard case .redemptionRequested(let event) = fact.event else { return nil }
        self.init(
            id: event.redemption, card: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder,
            secret: event.secret, attempt: event.attempt, requestedAt: fact.time, expiresAt: event.expiresAt, redeemedAt: nil,
            isReversed: false)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardRedeemed(let event) where event.redemption == id: redeemedAt = fact.time
        case .redemptionReversed(let event) where event.redemption == id: isReversed = true
        default: break
        }
    }
}
