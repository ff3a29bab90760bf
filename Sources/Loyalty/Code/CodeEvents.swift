/// The shop issued a one-time stamp code (集点码).
public struct CodeIssued: Hashable, Sendable {
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the code's
    /// id and this number.
    public let attempt: Int
    /// The stamps that the code is worth, 1 to 10.
    public let stamps: Int
    public let expiresAt: Instant

    public init(
        code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, secret: Secret, attempt: Int, stamps: Int, expiresAt: Instant
    ) {
        self.home = home
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.secret = secret
        self.attempt = attempt
        self.stamps = stamps
        self.expiresAt = expiresAt
    }
}

/// The shop withdrew an unused code.
public struct CodeDestroyed: Hashable, Sendable {
    public let code: CodeID
    public let campaign: CampaignID
    public let shop: ShopID

    public init(code: CodeID, campaign: CampaignID, shop: ShopID) {
        self.code = code
        self.campaign = campaign
        self.shop = shop
    }
}
