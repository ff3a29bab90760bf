/// The shop took a reward back that it had handed out by mistake: the card is full again. The actor is the member of staff.
public struct RedemptionReversed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let reason: TypedText

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, reason: TypedText
    ) {
        self.redemption = redemption
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.reason = reason
    }
}
