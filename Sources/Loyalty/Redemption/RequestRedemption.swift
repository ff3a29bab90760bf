/// Ask for a redemption code for a full card; holder only.
public struct RequestRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let secret: Secret
    public let attempt: Int

    public init(redemption: RedemptionID, card: CardID, secret: Secret, attempt: Int) {
        self.redemption = redemption
        self.card = card
        self.secret = secret
        self.attempt = attempt
    }
}

/// The facts that requesting a redemption code needs.
public struct RequestRedemptionSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?
    /// The shop of the card.
    public let shop: Shop?
    public let redemptionWithID: Redemption?
    public let redemptionWithSecret: Redemption?

    public init(actor: Account?, card: Card?, shop: Shop?, redemptionWithID: Redemption?, redemptionWithSecret: Redemption?) {
        self.actor = actor
        self.card = card
        self.shop = shop
        self.redemptionWithID = redemptionWithID
        self.redemptionWithSecret = redemptionWithSecret
    }
}

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

    /// The campaign need not be running: a full card can be redeemed until the date that its terms name, if any.
    public func decide(
        _ situation: RequestRedemptionSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card, known.holder == actor, let shop = situation.shop else {
            throw .notFound
        }
        // A customer who was hired meanwhile keeps the card, but cannot hand a reward to themselves.
        guard !shop.employs(actor) else { throw .ownCampaign }
        guard known.status(at: now) == .full else { throw .cardNotFull }
        guard known.terms.isRedeemable(at: now) else { throw .campaignOver }
        if let existing = situation.redemptionWithID {
            guard existing.card == card else { throw .notFound }
            return []
        }
        if let seconds = known.waitSeconds(at: now) { throw .requestedTooOften(retryAfterSeconds: seconds) }
        guard situation.redemptionWithSecret == nil else { throw .secretTaken }
        var checks = FieldChecks()
        checks.require(attempt, in: Limits.derivationAttempts, "attempt")
        try checks.verdict()
        return [.redemptionRequested(requested(for: known, at: now))]
    }

    private func requested(for card: Card, at now: Instant) -> RedemptionRequested {
        let latest = now.advanced(bySeconds: Limits.redemptionValiditySeconds)
        // The code works no longer than the card may be redeemed, and no longer than the card lasts.
        return RedemptionRequested(
            redemption: redemption, card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder, secret: secret,
            attempt: attempt, expiresAt: card.terms.ending(by: latest))
    }
}

extension Card {
    /// Seconds until the card gets another redemption code; nil if it gets one now. See ``Limits/requestedHistoryMax``.
    fileprivate func waitSeconds(at now: Instant) -> Int64? {
        guard history.count >= Limits.requestedHistoryMax, let last = history.last(where: { $0.kind == .redemptionRequested }) else {
            return nil
        }
        let next = last.at.advanced(bySeconds: Limits.longHistoryPauseSeconds)
        // A request from the future was recorded while the clock was ahead; it causes no wait.
        guard Validity.holds(at: now, from: last.at, until: next) else { return nil }
        return (next.microseconds - now.microseconds + 999_999) / 1_000_000
    }
}
