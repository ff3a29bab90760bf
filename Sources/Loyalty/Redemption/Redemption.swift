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
    public var isRedeemed: Bool

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
        isRedeemed: Bool
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
        self.isRedeemed = isRedeemed
    }
}
