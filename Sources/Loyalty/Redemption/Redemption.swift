/// The redemption (兑换) of a full card, or of a milestone of a card.
public struct Redemption: Hashable, Sendable {
    public let id: RedemptionID
    public var card: CardID
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The milestone's number of stamps; nil for the full card's reward.
    public let milestone: Int?
    public let secret: Secret
    public let attempt: Int
    public let requestedAt: Instant
    public var expiresAt: Instant
    public var redeemedAt: Instant?
    public var redeemedBy: ShopID?
    /// A code whose reward was taken back does not work again.
    public var isReversed: Bool

    public init(
        id: RedemptionID, card: CardID, campaign: CampaignID, shop: ShopID, holder: AccountID, milestone: Int? = nil, secret: Secret,
        attempt: Int, requestedAt: Instant, expiresAt: Instant, redeemedAt: Instant?, isReversed: Bool
    ) {
        (self.id, self.card, self.campaign, self.shop) = (id, card, campaign, shop)
        (self.holder, self.milestone, self.secret, self.attempt) = (holder, milestone, secret, attempt)
        (self.requestedAt, self.expiresAt, self.redeemedAt, self.isReversed) = (requestedAt, expiresAt, redeemedAt, isReversed)
    }
}

/// The state of a redemption, as its holder sees it, by its name in the API.
public enum RedemptionStatus: String, Hashable, Sendable, CaseIterable { case pending, redeemed, expired, replaced, reversed }

extension Redemption {
    public var isRedeemed: Bool { redeemedAt != nil }

    /// A full card's redemption counts as expired if the card lost its stamps or was discarded.
    public func status(at now: Instant, newest: RedemptionID?, cardStatus: CardStatus) -> RedemptionStatus {
        status(at: now, newest: newest, isOpen: cardStatus == .full)
    }

    /// A card has one code at a time, so that a counter never has to ask. The code stays expired once the card had too few stamps.
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
