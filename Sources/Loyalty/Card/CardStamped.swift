/// A code added stamps to a card (集点). The hottest event: it is all tags unless it adds more than one.
public struct CardStamped: Hashable, Sendable {
    public let card: CardID
    public let code: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// Added by this event, 1 to 10.
    public let stamps: Int

    public init(card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int) {
        self.card = card
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.stamps = stamps
    }
}
