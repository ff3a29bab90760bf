/// A request to redeem a full card for its reward (兑换).
public struct Redemption: Hashable, Sendable {
    public let id: RedemptionID
    public var card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    public let secret: Secret
    public let attempt: Int
    public let requestedAt: Instant
    public var expiresAt: Instant
    /// When the reward was handed out.
    public var redeemedAt: Instant?
    /// Whether the reward was taken back. The code does not work again after that.
    public var isReversed: Bool

    public init(
        id: RedemptionID,
        card: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        secret: Secret,
        attempt: Int,
        requestedAt: Instant,
        expiresAt: Instant,
        redeemedAt: Instant?,
        isReversed: Bool
    ) {
        self.id = id
        self.card = card
        self.campaign = campaign
        self.shop = shop
        self.holder = holder
        self.secret = secret
        self.attempt = attempt
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.redeemedAt = redeemedAt
        self.isReversed = isReversed
    }
}

/// The state of a redemption, as its holder sees it.
public enum RedemptionStatus: UInt8, Hashable, Sendable, CaseIterable {
    case pending = 1
    case redeemed = 2
    case expired = 3
    case replaced = 4
    case reversed = 5
}

extension Redemption {
    /// Whether the code was used, even if the reward was taken back since.
    public var isRedeemed: Bool { redeemedAt != nil }

    /// The state of the redemption at `now`, given its card's `newestRedemption` and its status at `now`. Its code works only while it is
    /// `pending`.
    ///
    /// A redemption whose card was emptied or discarded before its time counts as expired.
    public func status(at now: Instant, newest: RedemptionID?, cardStatus: CardStatus) -> RedemptionStatus {
        if isReversed { return .reversed }
        if isRedeemed { return .redeemed }
        guard newest == nil || newest == id else { return .replaced }
        let holds = Validity.holds(at: now, from: requestedAt, until: expiresAt)
        return cardStatus == .full && holds ? .pending : .expired
    }
}

extension Redemption: Folded {
    public init?(opening fact: Fact) {
        guard case .redemptionRequested(let event) = fact.event else { return nil }
        self.init(
            id: event.redemption, card: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder,
            secret: event.secret, attempt: event.attempt, requestedAt: fact.time, expiresAt: event.expiresAt, redeemedAt: nil,
            isReversed: false)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardRedeemed(let event) where event.redemption == id: redeemedAt = fact.time
        case .redemptionReversed(let event) where event.redemption == id: isReversed = true
        default: break
        }
    }
}
