/// The holder of a full card requested a one-time redemption code. Any earlier redemption code of that card becomes invalid.
public struct RedemptionRequested: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The code is derived from the
    /// redemption's id and this number.
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

/// The shop verified the redemption code and handed out the reward (兑换). The event's actor is the owner or member of staff who did so.
public struct CardRedeemed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that handed the reward out.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
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

/// The shop took back a reward that it had handed out by mistake: the card is full again. The event's actor is the owner or member of staff
/// who did so.
public struct RedemptionReversed: Hashable, Sendable {
    public let redemption: RedemptionID
    public let card: CardID
    public let campaign: CampaignID
    /// The shop that had handed the reward out. The person who takes the reward back may work at another shop of the campaign.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
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
    /// The redemption that the event is about, either of a full card or of a milestone; nil for an event that is about no redemption.
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
