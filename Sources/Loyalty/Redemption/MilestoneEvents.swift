/// The holder of a card requested a one-time code for a milestone's reward. Any earlier redemption code of that card becomes invalid.
public struct MilestoneRequested: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The milestone, identified by the number of stamps that it needs.
    public let milestone: Int
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the
    /// redemption's id and this number.
    public let attempt: Int
    public let expiresAt: Instant

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, milestone: Int, secret: Secret,
        attempt: Int, expiresAt: Instant
    ) {
        (self.redemption, self.card, self.campaign, self.shop) = (redemption, card, campaign, shop)
        (self.holder, self.milestone, self.secret) = (holder, milestone, secret)
        (self.attempt, self.expiresAt) = (attempt, expiresAt)
    }
}

/// The shop handed out a milestone's reward. The card keeps its stamps and its status. The event's actor is the owner or member of staff
/// who did so.
public struct MilestoneRedeemed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let milestone: Int

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, milestone: Int
    ) {
        self.home = home
        (self.redemption, self.card, self.campaign, self.shop) = (redemption, card, campaign, shop)
        (self.holder, self.milestone) = (holder, milestone)
    }
}

/// The shop took back a milestone's reward that it had handed out by mistake. The event's actor is the owner or member of staff who did so.
public struct MilestoneReversed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let milestone: Int
    public let reason: TypedText

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, milestone: Int,
        reason: TypedText
    ) {
        self.home = home
        (self.redemption, self.card, self.campaign, self.shop) = (redemption, card, campaign, shop)
        (self.holder, self.milestone, self.reason) = (holder, milestone, reason)
    }
}
