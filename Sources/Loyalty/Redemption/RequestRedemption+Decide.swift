extension RequestRedemption: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RequestRedemptionSituation {
        let account = try past.account(actor)
        guard let known = try past.card(card) else {
            return RequestRedemptionSituation(
                actor: account, card: nil, shop: nil, redemptionWithID: nil, redemptionWithSecret: nil)
        }
        return RequestRedemptionSituation(
            actor: account, card: known, shop: try past.shop(known.shop), redemptionWithID: try past.redemption(redemption),
            redemptionWithSecret: try past.redemption(secret: secret))
    }

    /// Whether the campaign still runs does not matter: a full card keeps its promise.
    public func decide(
        _ situation: RequestRedemptionSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card, known.holder == actor, let shop = situation.shop else {
            throw .notFound
        }
        // A customer who has come to work there since keeps the card, but nobody hands a reward to themselves.
        guard !shop.employs(actor) else { throw .ownCampaign }
        guard known.status == .full else { throw .cardNotFull }
        if let existing = situation.redemptionWithID {
            guard existing.card == card else { throw .notFound }
            return []
        }
        guard situation.redemptionWithSecret == nil else { throw .secretTaken }
        var checks = FieldChecks()
        checks.require(attempt, in: Limits.derivationAttempts, "attempt")
        try checks.verdict()
        return [.redemptionRequested(requested(for: known, at: now))]
    }

    private func requested(for card: Card, at now: Instant) -> RedemptionRequested {
        RedemptionRequested(
            redemption: redemption, card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder, secret: secret,
            attempt: attempt, expiresAt: now.advanced(bySeconds: Limits.redemptionValiditySeconds))
    }
}
