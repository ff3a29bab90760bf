/// The shop withdrew a code that nobody had used.
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
