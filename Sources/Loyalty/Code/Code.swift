/// A one-time stamp code (集点码).
public struct Code: Hashable, Sendable {
    public let id: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    public let secret: Secret
    public let attempt: Int
    public var stamps: Int
    public var expiresAt: Instant
    /// Who issued it, and when.
    public let issuer: AccountID
    public let issuedAt: Instant
    public var isUsed: Bool
    public var isDestroyed: Bool

    public init(
        id: CodeID,
        campaign: CampaignID,
        shop: ShopID,
        secret: Secret,
        attempt: Int,
        stamps: Int,
        expiresAt: Instant,
        issuer: AccountID,
        issuedAt: Instant,
        isUsed: Bool,
        isDestroyed: Bool
    ) {
        self.id = id
        self.campaign = campaign
        self.shop = shop
        self.secret = secret
        self.attempt = attempt
        self.stamps = stamps
        self.expiresAt = expiresAt
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.isUsed = isUsed
        self.isDestroyed = isDestroyed
    }
}
