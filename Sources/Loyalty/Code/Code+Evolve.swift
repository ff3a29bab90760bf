extension Code: Folded {
    public init?(opening fact: Fact) {
        guard case .codeIssued(let event) = fact.event else { return nil }
        self.init(
            id: event.code, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt,
            stamps: event.stamps, expiresAt: event.expiresAt, issuer: fact.actor, issuedAt: fact.time, isUsed: false,
            isDestroyed: false)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        // A code that fills several cards is used by the first of them already.
        case .cardStamped(let event) where event.code == id: isUsed = true
        case .codeDestroyed(let event) where event.code == id: isDestroyed = true
        default: break
        }
    }
}
