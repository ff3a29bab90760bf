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

/// The owner changed a campaign. The event has all fields as they are from now on, so that readers need no earlier state. The kind never
/// changes.
public struct CampaignEdited: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let title: TypedText
    public let details: TypedText
    /// The goal of cards that are opened from now on, 1 to 50; 0 for a promotion.
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
        title: TypedText,
        details: TypedText,
        goal: Int,
        reward: TypedText,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID?,
        caps: StampCaps
    ) {
        self.campaign = campaign
        self.shop = shop
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.image = image
        self.caps = caps
    }

    /// The present state of a campaign.
    init(_ campaign: Campaign) {
        self.init(
            campaign: campaign.id, shop: campaign.shop, title: campaign.title, details: campaign.details, goal: campaign.goal,
            reward: campaign.reward, startsAt: campaign.startsAt, endsAt: campaign.endsAt, image: campaign.image, caps: campaign.caps)
    }
}

/// The owner ended a campaign before its time.
public struct CampaignEnded: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID

    public init(campaign: CampaignID, shop: ShopID) {
        self.campaign = campaign
        self.shop = shop
    }
}
