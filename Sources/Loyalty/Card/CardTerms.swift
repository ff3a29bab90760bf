/// The promises of a card besides its goal and reward. They are fixed when the card opens, and no edit of its campaign changes them.
public struct CardTerms: Hashable, Sendable {
    /// No promises besides goal and reward, as on every card that was opened before terms existed.
    public static let none = CardTerms(expiresAt: nil, redeemUntil: nil)

    /// The moment from which the card is no longer valid; nil for no such moment.
    public let expiresAt: Instant?
    /// The moment from which the full card can no longer be redeemed; nil for no such moment.
    public let redeemUntil: Instant?
    /// Smaller rewards that the card earns before it is full, ordered by the stamps that they need, the fewest first.
    public var milestones: [Milestone]

    public init(expiresAt: Instant?, redeemUntil: Instant?, milestones: [Milestone] = []) {
        (self.expiresAt, self.redeemUntil, self.milestones) = (expiresAt, redeemUntil, milestones)
    }

    /// Whether a full card with these terms can still be redeemed at `now`; see ``redeemUntil``.
    func isRedeemable(at now: Instant) -> Bool { redeemUntil.map { now < $0 } ?? true }
}

/// A reminder to the holder that the card's time will soon be over.
public struct CardReminder: Hashable, Sendable {
    /// The number of days before the end of the card's time at which the reminder is due, one of ``Limits/reminderDays``.
    public let daysLeft: Int
    public let dueAt: Instant
}

/// The cards and codes that one account has had in one campaign.
///
/// A campaign may limit how many cards an account fills, may add stamps to the account's first code, and gives a coupon only once. These
/// rules read this tally, which is built from the account's card events in the campaign.
///
/// A card counts as filled while it has as many stamps as its goal, even after it was redeemed or discarded. If a reversal takes stamps off
/// such a card, it no longer counts as filled. An account whose only code was reversed gets the welcome stamps again.
public struct CardTally: Hashable, Sendable {
    private struct Progress: Hashable {
        let goal: Int
        var stamps = 0
    }

    private var cards: [CardID: Progress] = [:]
    private var lastUsed: CodeID?
    private var lastReversed: CodeID?
    /// The card that was opened first.
    public private(set) var first: CardID?

    /// The number of codes whose stamps were not taken back.
    public private(set) var codes = 0
    /// The number of cards that have as many stamps as their goal. Coupons are not counted, because an account can have at most one coupon
    /// of a campaign.
    public private(set) var filled = 0
    /// The number of filled cards whose recorded end came before their redemption.
    public private(set) var expired = 0
    /// The number of cards that were ever opened, whatever their state now.
    public private(set) var opened = 0

    /// A tally without cards and codes.
    public init() {}

    /// A tally with known counts. It does not know the single cards, so no further events may be applied to it.
    public init(codes: Int, filled: Int, expired: Int, opened: Int, first: CardID?) {
        (self.codes, self.filled, self.expired, self.opened, self.first) = (codes, filled, expired, opened, first)
    }

    /// Applies the next event of the account in the campaign. Only events that open a card or change its stamps have an effect.
    public mutating func evolve(_ event: LoyaltyEvent) {
        switch event {
        case .cardOpened(let event):
            cards[event.card] = Progress(goal: event.goal)
            opened += 1
            first = first ?? event.card
        case .cardStamped(let event):
            // The events of one code are consecutive.
            if lastUsed != event.code { codes += 1 }
            lastUsed = event.code
            change(event.card, by: event.stamps)
        case .stampReversed(let event):
            if lastReversed != event.code { codes -= 1 }
            lastReversed = event.code
            change(event.card, by: -event.stamps)
        case .cardAdjusted(let event): change(event.card, by: event.stamps)
        case .cardExpired(let event): if let card = cards[event.card], card.stamps >= card.goal { expired += 1 }
        case .waitingCardTaken(let event):
            if cards[event.card] == nil {
                cards[event.card] = Progress(goal: event.goal)
                opened += 1
            }
            codes += event.codes
            change(event.card, by: event.stamps - (cards[event.card]?.stamps ?? 0))
        default: break
        }
    }

    private mutating func change(_ card: CardID, by stamps: Int) {
        guard var known = cards[card] else { return }
        let wasFilled = known.stamps >= known.goal
        known.stamps += stamps
        cards[card] = known
        filled += (known.stamps >= known.goal ? 1 : 0) - (wasFilled ? 1 : 0)
    }
}
