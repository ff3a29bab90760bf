/// Take a reward back within a day. Only the owner and staff of the campaign's shops, or of the shop that handed the reward out, may do so.
///
/// A reward can be taken back once. A second reversal is refused as `notReversible`: if it were accepted, the answer would say that the
/// card is full, although it may have been redeemed again. A retry with the same idempotency key gets the first answer.
public struct ReverseRedemption: Hashable, Sendable {
    public let redemption: RedemptionID
    public let reason: TypedText

    public init(redemption: RedemptionID, reason: TypedText) {
        self.redemption = redemption
        self.reason = reason
    }
}

extension ReverseRedemption: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RedeemSituation {
        try .load(try past.redemption(redemption), in: &past, by: actor)
    }

    /// After a reversal the card may be redeemed again with a new code. A suspended shop may also correct its mistakes.
    ///
    /// If the holder has discarded the redeemed card since, the card becomes full again, because the shop must be able to correct its
    /// mistake even then. A card that was discarded while it was full had no reward, and stays discarded.
    ///
    /// A reversal after the card's expiry only corrects the shop's numbers: the card is full again, but has expired.
    public func decide(_ situation: RedeemSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.redemption, let card = situation.card, situation.shops != nil else {
            throw .notFound
        }
        // The holder knows of the redemption but may not reverse it. For all others, the answer says that it does not exist.
        guard situation.mayReverse(actor) else { throw known.holder == actor ? .forbidden : .notFound }
        // A customer who was hired after the reward was handed out cannot make their own card full again.
        guard known.holder != actor else { throw .ownCampaign }
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reason, "reason")
        try checks.verdict()
        // Apart from this command, the status of a redeemed card can only become `discarded`. A milestone's reward leaves its card as it
        // is, so the reward can be taken back in any state of the card.
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
