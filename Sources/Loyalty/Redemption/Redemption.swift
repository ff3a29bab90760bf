/// The redemption (兑换) of a full card, or of a milestone of a card.
public struct Redemption: Hashable, Sendable {
    public let id: RedemptionID
    public var card: CardID
    public let campaign: CampaignID
    /// The campaign's own shop.
    public let shop: ShopID
    public let holder: AccountID
    /// The milestone whose reward is redeemed, identified by the number of stamps that it needs; nil for the full card's reward.
    public let milestone: Int?
    public let secret: Secret
    public let attempt: Int
    public let requestedAt: Instant
    public var expiresAt: Instant
    /// The time at which the reward was handed out.
    public var redeemedAt: Instant?
    /// The shop that handed the reward out.
    public var redeemedBy: ShopID?
    /// Whether the reward was taken back. The code does not work again after that.
    public var isReversed: Bool

    public init(
        id: RedemptionID,
        card: CardID,
        campaign: CampaignID,
        shop: ShopID,
        holder: AccountID,
        milestone: Int? = nil,
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
        self.milestone = milestone
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

    /// The state at `now` of the redemption of a full card, given the card's `newestRedemption` and its status at `now`. The code is valid
    /// only while the redemption is `pending`.
    ///
    /// A redemption whose card has lost its stamps or was discarded before the code expired counts as expired.
    public func status(at now: Instant, newest: RedemptionID?, cardStatus: CardStatus) -> RedemptionStatus {
        status(at: now, newest: newest, isOpen: cardStatus == .full)
    }

    /// The state of the redemption at `now`, given its card.
    ///
    /// A card has one code at a time, be it for the full card or a milestone, so that a counter never has to ask which reward is meant. If
    /// the card had too few stamps at any time since the request, the code stays expired.
    public func status(at now: Instant, of card: Card) -> RedemptionStatus {
        let isOpen = milestone.map { card.isOpen(milestone: $0, at: now) } ?? (card.status(at: now) == .full)
        let isKept = card.fewestSinceRequest >= milestone ?? card.goal
        return status(at: now, newest: card.newestRedemption, isOpen: isOpen && isKept)
    }

    private func status(at now: Instant, newest: RedemptionID?, isOpen: Bool) -> RedemptionStatus {
        if isReversed { return .reversed }
        if isRedeemed { return .redeemed }
        guard newest == nil || newest == id else { return .replaced }
        let holds = Validity.holds(at: now, from: requestedAt, until: expiresAt)
        return isOpen && holds ? .pending : .expired
    }
}

extension Redemption {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .redemptionRequested(let event):
            self.init(
                id: event.redemption, card: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder,
                secret: event.secret, attempt: event.attempt, requestedAt: fact.time, expiresAt: event.expiresAt, redeemedAt: nil,
                isReversed: false)
        case .milestoneRequested(let event):
            self.init(
                id: event.redemption, card: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder,
                milestone: event.milestone, secret: event.secret, attempt: event.attempt, requestedAt: fact.time,
                expiresAt: event.expiresAt, redeemedAt: nil, isReversed: false)
        default: return nil
        }
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardRedeemed(let event) where event.redemption == id:
            redeemedAt = fact.time
            redeemedBy = event.shop
        case .redemptionReversed(let event) where event.redemption == id: isReversed = true
        case .milestoneRedeemed(let event) where event.redemption == id:
            redeemedAt = fact.time
            redeemedBy = event.shop
        case .milestoneReversed(let event) where event.redemption == id: isReversed = true
        default: break
        }
    }
}
