/// What entering a stamp code depends on.
public struct StampSituation: Hashable, Sendable {
    public let actor: Account?
    /// The one that was typed.
    public let code: Code?
    /// The code's.
    public let campaign: Campaign?
    /// The code's.
    public let shop: Shop?
    /// The actor's collecting card in the code's campaign.
    public let card: Card?
    /// What codes gave the actor in the campaign lately; nothing where the campaign has no caps.
    public var gains: StampGains
    /// Whether one of the ids meant for new cards names a card already.
    public var isNewCardTaken: Bool

    public init(
        actor: Account?, code: Code?, campaign: Campaign?, shop: Shop?, card: Card?, gains: StampGains = StampGains(),
        isNewCardTaken: Bool = false
    ) {
        self.actor = actor
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.card = card
        self.gains = gains
        self.isNewCardTaken = isNewCardTaken
    }
}

extension StampSituation {
    /// How many cards have to be opened for what does not fit on the collecting one. Goal 1 and a worth of 10 make ten.
    var newCardCount: Int {
        guard let code, let campaign, campaign.goal > 0 else { return 0 }
        let beyond = max(0, code.stamps - (card?.room ?? 0))
        return (beyond + campaign.goal - 1) / campaign.goal
    }
}
