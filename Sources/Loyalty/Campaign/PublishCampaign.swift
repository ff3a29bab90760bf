/// Announce a campaign; owner only.
public struct PublishCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let title: String
    public let details: String
    public let goal: Int
    public let reward: String
    public let startsAt: Instant
    public let endsAt: Instant
    public let image: ImageID?
    /// None for a promotion.
    public let caps: StampCaps
    /// The texts above, sealed under the shop's key; `nil` where there are no keys.
    public var sealed: CampaignTexts?

    public init(
        campaign: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: String,
        details: String,
        goal: Int,
        reward: String,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID? = nil,
        caps: StampCaps = .none,
        sealed: CampaignTexts? = nil
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
        self.sealed = sealed
    }
}
