/// Claim a coupon: the actor gets a card of its campaign that is full from the start.
///
/// A second kind of reward would need its own redemptions, reversals, erasure and models.
public struct ClaimCoupon: Hashable, Sendable {
    public let campaign: CampaignID
    public let card: CardID

    public init(campaign: CampaignID, card: CardID) { (self.campaign, self.card) = (campaign, card) }
}

extension ClaimCoupon: Decision {
    public typealias Situation = (campaign: Campaign?, shops: CampaignShops?, cardWithID: Card?, tally: CardTally)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        guard let known = try past.campaign(campaign), known.kind == .coupon else {
            return (campaign: nil, shops: nil, cardWithID: nil, tally: CardTally())
        }
        return (
            campaign: known, shops: try .load(of: known, in: &past), cardWithID: try past.card(card),
            tally: try past.tally(of: actor, in: campaign)
        )
    }

    /// Once for ever, even if the campaign was reopened since. A repeated claim of the same card changes nothing.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.campaign, let shops = situation.shops else { throw .notFound }
        guard !shops.employs(actor) else { throw .ownCampaign }
        guard !shops.home.isSuspended else { throw .suspended }
        guard known.isRunning(at: now) else { throw .campaignNotRunning }
        if let existing = situation.cardWithID {
            guard existing.campaign == campaign, existing.holder == actor else { throw .notFound }
            return []
        }
        guard situation.tally.opened == 0 else { throw .couponClaimed }
        let opened = CardOpened(
            card: card, campaign: campaign, shop: known.shop, holder: actor, goal: known.goal, reward: known.reward,
            terms: known.options.cardTerms(at: now))
        return [.cardOpened(opened)]
    }
}
