/// The owner ended a campaign before its time.
public struct CampaignEnded: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID

    public init(campaign: CampaignID, shop: ShopID) {
        self.campaign = campaign
        self.shop = shop
    }
}
