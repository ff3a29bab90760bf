/// A shop announced a campaign.
public struct CampaignPublished: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let title: TypedText
    public let details: TypedText
    /// Stamps that fill a card, 1 to 50; 0 for a promotion.
    public let goal: Int
    public let reward: TypedText
    public let startsAt: Instant
    public let endsAt: Instant
    public let image: ImageID?
    /// None for a promotion.
    public let caps: StampCaps

    public init(
        campaign: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: TypedText,
        details: TypedText,
        goal: Int,
        reward: TypedText,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID? = nil,
        caps: StampCaps = .none
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
        self.image = image
        self.caps = caps
    }
}
