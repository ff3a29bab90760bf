/// Request a redemption code for a full card or a reached milestone; for the card's holder.
public struct RequestRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    /// The milestone's number of stamps; nil for the full card's reward.
    public let milestone: Int?
    public let secret: Secret
    public let attempt: Int

    public init(redemption: RedemptionID, card: CardID, milestone: Int? = nil, secret: Secret, attempt: Int) {
        (self.redemption, self.card, self.milestone, self.secret, self.attempt) = (redemption, card, milestone, secret, attempt)
    }
}

extension RequestRedemption: Decision {
    public typealias Situation = (card: Card?, shops: CampaignShops?, redemptionWithID: Redemption?, redemptionWithSecret: Redemption?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        guard let known = try past.card(card) else { return (nil, nil, nil, nil) }
        let campaign = try past.campaign(known.campaign)
        let shops = if let campaign { try CampaignShops.load(of: campaign, in: &past) } else { CampaignShops?.none }
        return (
            card: known, shops: shops, redemptionWithID: try past.redemption(redemption),
            redemptionWithSecret: try past.redemption(secret: secret)
        )
    }

    /// The campaign need not be running.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card, known.holder == actor, let shops = situation.shops else { throw .notFound }
        // A customer who was hired since cannot hand the reward to themselves.
        guard !shops.employs(actor) else { throw .ownCampaign }
        try checkReward(of: known, at: now)
        guard known.terms.isRedeemable(at: now) else { throw .campaignOver }
        if let existing = situation.redemptionWithID {
            guard existing.card == card, existing.milestone == milestone else { throw .notFound }
            return []
        }
        if let seconds = known.waitSeconds(at: now) { throw .requestedTooOften(retryAfterSeconds: seconds) }
        guard situation.redemptionWithSecret == nil else { throw .secretTaken }
        try FieldChecks.check { $0.require(attempt, in: Limits.derivationAttempts, "attempt") }
        let requested = requested(for: known, at: now)
        guard let milestone else { return [.redemptionRequested(requested)] }
        return [
            .milestoneRequested(
                MilestoneRequested(
                    redemption: redemption, card: card, campaign: known.campaign, shop: known.shop, holder: actor, secret: secret,
                    milestone: milestone, attempt: attempt, expiresAt: requested.expiresAt))
        ]
    }

    private func checkReward(of card: Card, at now: Instant) throws(Rejection) {
        guard let milestone else {
            guard card.status(at: now) == .full else { throw .cardNotFull }
            return
        }
        try FieldChecks.check { $0.require(card.terms.milestones[at: milestone] != nil, "milestone", .noMilestone) }
        guard card.isOpen(milestone: milestone, at: now) else { throw .milestoneNotOpen }
    }

    private func requested(for card: Card, at now: Instant) -> RedemptionRequested {
        let latest = now.advanced(bySeconds: Limits.redemptionValiditySeconds)
        return RedemptionRequested(
            redemption: redemption, card: card.id, campaign: card.campaign, shop: card.shop, holder: card.holder, secret: secret,
            attempt: attempt, expiresAt: card.terms.ending(by: latest))
    }
}

extension Card {
    /// See ``Limits/requestedHistoryMax``.
    fileprivate func waitSeconds(at now: Instant) -> Int64? {
        let last = history.last { $0.kind == .redemptionRequested || $0.kind == .milestoneRequested }
        guard history.count >= Limits.requestedHistoryMax, let last else { return nil }
        let next = last.at.advanced(bySeconds: Limits.longHistoryPauseSeconds)
        // A request in the future was recorded by a fast clock and causes no wait.
        guard Validity.holds(at: now, from: last.at, until: next) else { return nil }
        return (next.microseconds - now.microseconds + 999_999) / 1_000_000
    }
}
