/// One account's progress in one campaign (集点卡).
public struct Card: Hashable, Sendable {
    public let id: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let goal: Int
    public var reward: TypedText
    public var stamps: Int
    public var status: CardStatus
    public let openedAt: Instant
    /// The only one whose code may still work.
    public var newestRedemption: RedemptionID?
    /// Oldest first; its last position is the card's version.
    public var history: [CardEntry]

    public init(
        id: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        goal: Int,
        reward: TypedText,
        stamps: Int,
        status: CardStatus,
        openedAt: Instant,
        newestRedemption: RedemptionID?,
        history: [CardEntry]
    ) {
        self.id = id
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.goal = goal
        self.reward = reward
        self.stamps = stamps
        self.status = status
        self.openedAt = openedAt
        self.newestRedemption = newestRedemption
        self.history = history
    }
}
