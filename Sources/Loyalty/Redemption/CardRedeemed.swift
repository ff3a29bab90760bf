/// The shop verified the redemption code and handed out the reward (兑换). The actor is the member of staff.
public struct CardRedeemed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID

    public init(redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID) {
        self.redemption = redemption
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
    }
}
