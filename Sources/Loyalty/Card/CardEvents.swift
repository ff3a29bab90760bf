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

/// An operator corrected a card's stamps. The correction is an event of its own; earlier events stay as they were.
public struct CardAdjusted: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The stamps added, or negative for stamps taken off; never 0.
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

/// The shop took back stamps that a code gave. One event names one card; a code's stamps may be taken off several cards, by several events.
///
/// The card need not be one that the code stamped: the collecting card loses stamps first, see ``ReverseStamp``.
public struct StampReversed: Hashable, Sendable {
    public let card: CardID
    /// The code whose stamps are taken back.
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code, even if another shop takes the stamps back. The statistics of neither shop subtract them: a day's
    /// stamps are those that codes gave on that day.
    public let shop: ShopID
    /// The campaign's own shop, if that is not ``shop``; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    /// How many stamps the card loses, 1 to 50.
    public let stamps: Int
    public let reason: TypedText

    public init(
        card: CardID, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID, stamps: Int,
        reason: TypedText
    ) {
        self.home = home
        self.card = card
        self.code = code
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.stamps = stamps
        self.reason = reason
    }
}

/// The holder discarded the card, or a reversal emptied and discarded it because an older card collects again.
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

/// The card's time is over. Until this event the card was collecting or full.
public struct CardExpired: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The moment at which the card's time was over, as its terms say.
    public let dueAt: Instant

    public init(card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, dueAt: Instant) {
        (self.card, self.campaign, self.shop, self.holder, self.dueAt) = (card, campaign, shop, holder, dueAt)
    }
}

/// A reminder to a card's holder that the card's time will soon be over.
public struct CardReminded: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The notice that shows the reminder to the holder.
    public let notice: NoticeID
    /// The number of days before the end of the card's time at which the reminder was due, one of ``Limits/reminderDays``.
    public let daysLeft: Int
    public let dueAt: Instant

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, notice: NoticeID, daysLeft: Int, dueAt: Instant
    ) {
        (self.card, self.campaign, self.shop, self.holder) = (card, campaign, shop, holder)
        (self.notice, self.daysLeft, self.dueAt) = (notice, daysLeft, dueAt)
    }
}

extension CardReminded {
    /// The moment at which the card's time will be over.
    public var expiresAt: Instant { dueAt.advanced(bySeconds: Int64(daysLeft) * Limits.daySeconds) }
}

/// An account took over a card that waited for the holder of its phone number, or one of its own cards got stamps of such a card.
///
/// Shops can stamp cards for a number before anybody registers with it. These cards belong to a waiting person, whose only proof is the
/// number. An account that verifies the number takes them over one by one. If the account collects in the same campaign already, the stamps
/// of a waiting card fill the account's own card first, because an account collects on one card of a campaign at a time. The event of the
/// account's own card then comes directly before the event of the waiting card.
public struct WaitingCardTaken: Hashable, Sendable {
    public let card: CardID
    public let campaign: CampaignID
    /// The campaign's own shop.
    public let shop: ShopID
    /// The account that has the card from now on.
    public let holder: AccountID
    /// The waiting person who had the card until now; nil for the account's own card.
    public let from: AccountID?
    /// The number of stamps that fill the card.
    public let goal: Int
    /// The number of stamps on the card from now on. A card without stamps is discarded.
    public let stamps: Int
    /// The number of stamps that moved from the waiting card to the account's own card. Both events have it.
    public let moved: Int
    /// For a waiting card of which stamps moved: the account's own card. Otherwise nil.
    public let onto: CardID?
    /// The number of codes that count for the account from now on, see ``CardTally/codes``: those with stamps on the card. A code on two
    /// cards counts twice, because rules only ask whether there were any.
    public let codes: Int
    /// The number of stamps that caps count as one gain of the account at the time of this event: those of the waiting person for which
    /// caps would still make that person wait.
    public let worth: Int

    public init(
        card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, from: AccountID?, goal: Int, stamps: Int, moved: Int = 0,
        onto: CardID? = nil, codes: Int = 0, worth: Int = 0
    ) {
        (self.card, self.campaign, self.shop, self.holder, self.from) = (card, campaign, shop, holder, from)
        (self.goal, self.stamps, self.moved, self.onto) = (goal, stamps, moved, onto)
        (self.codes, self.worth) = (codes, worth)
    }

    /// The state of a collecting or full card after this event.
    public var status: CardStatus { stamps == 0 ? .discarded : stamps >= goal ? .full : .collecting }

    /// The gain that caps count.
    public func gain(at time: Instant) -> StampGains.Gain {
        StampGains.Gain(code: CodeID(card.value), at: time, stamps: worth)
    }
}
