/// An operator set a card's stamps right: an event of its own beside what happened, which stays as it was.
public struct CardAdjusted: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// Added, or below 0 taken off; never 0.
    public let stamps: Int
    public let reason: TypedText

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int, reason: TypedText) {
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.stamps = stamps
        self.reason = reason
    }
}
