/// Take a reward back within a day, once; for the owner and staff of the campaign's shops and of the shop that handed it out.
public struct ReverseRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let reason: TypedText

    public init(redemption: RedemptionID, reason: TypedText) { (self.redemption, self.reason) = (redemption, reason) }
}

extension ReverseRedemption: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        try .load(try past.redemption(redemption), in: &past)
    }

    /// The card may be redeemed again, even if its holder discarded it since. After the card's expiry only the shop's numbers change.
    public func decide(_ situation: RedeemSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.redemption, let card = situation.card, situation.shops != nil else { throw .notFound }
        // Others must not learn that the redemption exists.
        guard situation.mayReverse(actor) else { throw known.holder == actor ? .forbidden : .notFound }
        // A customer who was hired since cannot make their own card full again.
        guard known.holder != actor else { throw .ownCampaign }
        try FieldChecks.check { $0.require(reason, within: Limits.reason, "reason") }
        // Without a reversal, a redeemed card can only become `discarded`. A milestone's reward does not depend on the card's state.
        guard !known.isReversed, let redeemedAt = known.redeemedAt,
            known.milestone != nil || card.status == .redeemed || card.status == .discarded,
            Validity.holds(at: now, from: redeemedAt, until: redeemedAt.advanced(bySeconds: Limits.reversalSeconds))
        else { throw .notReversible }
        return [reversed(known)]
    }

    private func reversed(_ known: Redemption) -> LoyaltyEvent {
        let place = known.redeemedBy ?? known.shop
        let home = place == known.shop ? nil : known.shop
        guard let milestone = known.milestone else {
            return .redemptionReversed(
                RedemptionReversed(
                    redemption: known.id, card: known.card, campaign: known.campaign, shop: place, home: home, holder: known.holder,
                    reason: reason))
        }
        return .milestoneReversed(
            MilestoneReversed(
                redemption: known.id, card: known.card, campaign: known.campaign, shop: place, home: home, holder: known.holder,
                milestone: milestone, reason: reason))
    }
}
