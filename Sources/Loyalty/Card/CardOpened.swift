/// A customer began a card. Goal and reward are fixed here: what was promised stays promised.
public struct CardOpened: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let goal: Int
    public let reward: TypedText

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, goal: Int, reward: TypedText) {
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.goal = goal
        self.reward = reward
    }
}
