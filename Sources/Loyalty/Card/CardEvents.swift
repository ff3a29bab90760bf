/// A customer opened a card, or claimed a coupon. The event fixes goal, reward and terms, so later edits of the campaign do not change
/// them.
public struct CardOpened: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    /// The shop whose code opened the card; the campaign's own shop for a coupon.
    public let shop: ShopID
    /// The campaign's own shop, if that is not ``shop``; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    /// The number of stamps that fill the card, 1 to 50; 0 for a coupon, which collects nothing.
    public let goal: Int
    public let reward: TypedText
    public let terms: CardTerms

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, goal: Int, reward: TypedText,
        terms: CardTerms = .none
    ) {
        self.home = home
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.goal = goal
        self.reward = reward
        self.terms = terms
    }
}

/// A code added stamps to a card (集点). This is the most frequent event. If it adds one stamp and uses up one stamp of the code, it is
/// stored in the event's tags alone, without a payload.
public struct CardStamped: Hashable, Sendable {
    public let card: CardID
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop, if that is not ``shop``; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    /// The number of stamps that this event added to the card, 1 to 50.
    public let stamps: Int
    /// How many of the code's own stamps this event uses up, 0 to 10. The events of one code together use up all of its stamps; the last
    /// event uses up the last stamp.
    ///
    /// It differs from ``stamps`` if a welcome or bonus hours add stamps, or if stamps lapse because the account has filled its last card.
    /// With both numbers in the event, a replay needs neither the campaign's terms nor a time zone, and caps count only the code's own
    /// stamps.
    public let worth: Int

    public init(
        card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, stamps: Int,
        worth: Int? = nil
    ) {
        self.home = home
        self.card = card
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.stamps = stamps
        self.worth = worth ?? stamps
    }
}

extension CardReminded {
    /// The moment at which the card's time will be over.
    public var expiresAt: Instant { dueAt.advanced(bySeconds: Int64(daysLeft) * Limits.daySeconds) }
}

extension WaitingCardTaken {
    /// The state of a collecting or full card after this event.
    public var status: CardStatus { stamps == 0 ? .discarded : stamps >= goal ? .full : .collecting }

    /// The gain that caps count.
    public func gain(at time: Instant) -> StampGains.Gain {
        StampGains.Gain(code: CodeID(card.value), at: time, stamps: worth)
    }
}
