/// A one-time stamp code (集点码).
public struct Code: Hashable, Sendable {
    public let id: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    public let secret: Secret
    public let attempt: Int
    public var stamps: Int
    public let issuedAt: Instant
    public var expiresAt: Instant
    public var isUsed: Bool
    public var isDestroyed: Bool

    public init(
        id: CodeID,
        campaign: CampaignID,
        shop: ShopID,
        secret: Secret,
        attempt: Int,
        stamps: Int,
        issuedAt: Instant,
        expiresAt: Instant,
        isUsed: Bool,
        isDestroyed: Bool
    ) {
        self.id = id
        self.campaign = campaign
        self.shop = shop
        self.secret = secret
        self.attempt = attempt
        self.stamps = stamps
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.isUsed = isUsed
        self.isDestroyed = isDestroyed
    }
}
