/// A campaign (活动) of a shop, with a running time.
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var title: TypedText
    public var details: TypedText
    /// Of cards that are opened from now on; those that are open keep theirs.
    public var goal: Int
    public var reward: TypedText
    public var startsAt: Instant
    public var endsAt: Instant
    public var image: ImageID?
    public var caps: StampCaps
    /// When the owner ended it early.
    public var endedAt: Instant?
    /// Position of the last event that changed what its owner sees, for `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: CampaignID,
        shop: ShopID,
        kind: CampaignKind,
        title: TypedText,
        details: TypedText,
        goal: Int,
        reward: TypedText,
        startsAt: Instant,
        endsAt: Instant,
        image: ImageID?,
        caps: StampCaps,
        endedAt: Instant?,
        version: UInt64
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
        self.image = image
        self.caps = caps
        self.endedAt = endedAt
        self.version = version
    }
}
