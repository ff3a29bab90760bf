/// The holder of a full card requested a one-time redemption code. Any earlier code of that card becomes invalid.
public struct RedemptionRequested: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    /// How often the derivation of the code from its id was repeated, because the derived code was in use already; nearly always 0.
    public let attempt: Int
    public let expiresAt: Instant

    public init(
        redemption: RedemptionID,
        card: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        secret: Secret,
        attempt: Int,
        expiresAt: Instant
    ) {
        self.redemption = redemption
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.secret = secret
        self.attempt = attempt
        self.expiresAt = expiresAt
    }
}

/// The shop verified the redemption code and handed out the reward (兑换). The actor is the member of staff.
public struct CardRedeemed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop, if it is not ``shop``; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID

    public init(redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID) {
        self.home = home
        self.redemption = redemption
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
    }
}

/// The shop took back a reward that it had handed out by mistake: the card is full again. The actor is the member of staff.
public struct RedemptionReversed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that had handed the reward out. The people who take it back may work at another shop.
    public let shop: ShopID
    /// The campaign's own shop, if it is not ``shop``; otherwise nil.
    public let home: ShopID?
    public let holder: AccountID
    public let reason: TypedText

    public init(
        redemption: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, holder: AccountID,
        reason: TypedText
    ) {
        self.home = home
        self.redemption = redemption
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.reason = reason
    }
}

extension LoyaltyEvent {
    /// The redemption that the event is about, be it of a full card or of a milestone.
    public var redemption: RedemptionID? {
        switch self {
        case .redemptionRequested(let event): event.redemption
        case .cardRedeemed(let event): event.redemption
        case .redemptionReversed(let event): event.redemption
        case .milestoneRequested(let event): event.redemption
        case .milestoneRedeemed(let event): event.redemption
        case .milestoneReversed(let event): event.redemption
        default: nil
        }
    }
}
