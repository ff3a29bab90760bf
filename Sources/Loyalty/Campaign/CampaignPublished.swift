/// A shop announced a campaign.
public struct CampaignPublished: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let title: String
    public let details: String
    /// Stamps that fill a card, 1 to 50; 0 for a promotion.
    public let goal: Int
    public let reward: String
    public let startsAt: Instant
    public let endsAt: Instant

    public init(
        campaign: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: String,
        details: String,
        goal: Int,
        reward: String,
        startsAt: Instant,
        endsAt: Instant
    ) {
        self.campaign = campaign
        self.shop = shop
        self.kind = kind
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
    }
}
