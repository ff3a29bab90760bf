/// A customer opened a card, or claimed a coupon. Later edits of the campaign do not change it.
public struct CardOpened: Hashable, Sendable, SharedEvent {
    public let card: CardID
    public let campaign: CampaignID
    /// For a coupon, the campaign's own shop.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let goal: Int
    public let reward: TypedText
    public let terms: CardTerms

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, goal: Int, reward: TypedText,
        terms: CardTerms = .none
    ) {
        (self.card, self.campaign, self.shop, self.home) = (card, campaign, shop, home)
        (self.holder, self.goal, self.reward, self.terms) = (holder, goal, reward, terms)
    }
}

/// A code added stamps to a card (集点). One stamp that uses up one stamp, the most frequent event, is stored in tags alone.
public struct CardStamped: Hashable, Sendable, SharedEvent {
    public let card: CardID
    public let code: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let stamps: Int
    /// The code's own stamps that this event uses up, 0 to 10, so that a replay needs neither the campaign's terms nor a time zone. A
    /// code's last event uses up its last stamp.
    public let worth: Int

    public init(
        card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, stamps: Int,
        worth: Int? = nil
    ) {
        (self.card, self.code, self.campaign, self.shop) = (card, code, campaign, shop)
        (self.home, self.holder, self.stamps) = (home, holder, stamps)
        self.worth = worth ?? stamps
    }
}

extension CardReminded {
    /// The end of the card's time.
    public var expiresAt: Instant { dueAt.advanced(bySeconds: Int64(daysLeft) * Limits.daySeconds) }
}

extension WaitingCardTaken {
    public var status: CardStatus {
        if stamps == 0 { return .discarded }
        return stamps >= goal ? .full : .collecting
    }

    /// The gain that caps count. The stamps may come from several codes, so the card's id takes the place of a code's.
    public func gain(at time: Instant) -> StampGains.Gain { StampGains.Gain(code: CodeID(card.value), at: time, stamps: worth) }
}
