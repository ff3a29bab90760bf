/// A card's promises besides goal and reward, fixed at its opening.
///
/// A limit of cards and a welcome are no promises of a card. They are the campaign's when a code is entered, see ``CardTally``.
public struct CardTerms: Hashable, Sendable {
    /// Cards from before terms existed have no promises either.
    public static let none = CardTerms(expiresAt: nil, redeemUntil: nil)

    public let expiresAt: Instant?
    public let redeemUntil: Instant?
    public var milestones: [Milestone]

    public init(expiresAt: Instant?, redeemUntil: Instant?, milestones: [Milestone] = []) {
        (self.expiresAt, self.redeemUntil, self.milestones) = (expiresAt, redeemUntil, milestones)
    }

    func isRedeemable(at now: Instant) -> Bool { redeemUntil.map { now < $0 } ?? true }
}

/// A reminder to the holder that the card's time will soon be over.
public struct CardReminder: Hashable, Sendable {
    /// One of ``Limits/reminderDays``.
    public let daysLeft: Int
    public let dueAt: Instant
}

/// The cards and codes that one account has had in one campaign.
///
/// A redeemed or discarded card still counts as filled. An account whose only code was reversed gets the welcome stamps again.
public struct CardTally: Hashable, Sendable {
    private struct Progress: Hashable {
        let goal: Int
        var stamps = 0
    }

    private var cards: [CardID: Progress] = [:]
    private var lastUsed: CodeID?
    private var lastReversed: CodeID?
    public private(set) var first: CardID?

    /// Without reversed ones.
    public private(set) var codes = 0
    /// Without coupons.
    public private(set) var filled = 0
    /// Filled cards that ended before redemption.
    public private(set) var expired = 0
    public private(set) var opened = 0

    public init() {}

    /// No events may be applied to this tally, because it lacks the single cards.
    public init(codes: Int, filled: Int, expired: Int, opened: Int, first: CardID?) {
        (self.codes, self.filled, self.expired, self.opened, self.first) = (codes, filled, expired, opened, first)
    }

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
