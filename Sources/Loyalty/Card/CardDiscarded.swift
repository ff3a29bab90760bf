/// The holder threw the card away.
public struct CardDiscarded: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID) {
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
    }
}
