/// A full card on its way to its reward (兑换).
public struct Redemption: Hashable, Sendable {
    public let id: RedemptionID
    public var card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    public let attempt: Int
    public let requestedAt: Instant
    public var expiresAt: Instant
    /// When the reward was handed out.
    public var redeemedAt: Instant?
    /// Whether that was taken back; the code works no more for that.
    public var isReversed: Bool

    public init(
        id: RedemptionID,
        card: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        secret: Secret,
        attempt: Int,
        requestedAt: Instant,
        expiresAt: Instant,
        redeemedAt: Instant?,
        isReversed: Bool
    ) {
        self.id = id
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.secret = secret
        self.attempt = attempt
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.redeemedAt = redeemedAt
        self.isReversed = isReversed
    }
}
