public import Loyalty

/// What a merchant says of a campaign before it has an identity.
public struct CampaignDraft: Hashable, Sendable {
    public var kind: CampaignKind
    public var title: String
    public var details: String
    public var goal: Int
    public var reward: String
    public var startsAt: Instant
    public var endsAt: Instant
    public var image: ImageID?
    public var caps: StampCaps

    public init(
        kind: CampaignKind, title: String, details: String, goal: Int, reward: String, startsAt: Instant, endsAt: Instant,
        image: ImageID? = nil, caps: StampCaps = .none
    ) {
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
