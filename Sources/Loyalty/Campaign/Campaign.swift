/// A campaign (活动) of a shop, with a running time.
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var title: String
    public var details: String
    public let goal: Int
    public let reward: String
    public var startsAt: Instant
    public var endsAt: Instant
    /// When the owner ended it early.
    public var endedAt: Instant?

    public init(
        id: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: String,
        details: String,
        goal: Int,
        reward: String,
        startsAt: Instant,
        endsAt: Instant,
        endedAt: Instant?
    ) {
        self.id = id
        self.shop = shop
        self.kind = kind
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.endedAt = endedAt
    }
}
