/// The promises of a card beyond goal and reward. They are fixed when the card opens, and no edit of its campaign changes them.
public struct CardTerms: Hashable, Sendable {
    /// A card without terms, as every card was before there were any.
    public static let none = CardTerms(expiresAt: nil, redeemUntil: nil)

    /// The moment from which the card is good no more.
    public let expiresAt: Instant?
    /// The moment from which the full card is redeemed no more.
    public let redeemUntil: Instant?
    /// Smaller rewards on the way, by ascending stamps.
    public var milestones: [Milestone]

    public init(expiresAt: Instant?, redeemUntil: Instant?, milestones: [Milestone] = []) {
        (self.expiresAt, self.redeemUntil, self.milestones) = (expiresAt, redeemUntil, milestones)
    }

    /// Whether a full card may be redeemed at `now`, as far as its campaign's end decides it.
    func isRedeemable(at now: Instant) -> Bool { redeemUntil.map { now < $0 } ?? true }
}

/// One reminder of the end of a card.
public struct CardReminder: Hashable, Sendable {
    /// One of ``Limits/reminderDays``.
    public let daysLeft: Int
    public let dueAt: Instant
}

/// The cards and codes that one account has had in one campaign.
///
/// A campaign may limit how many cards an account fills, and give stamps on top of the first code. Both follow from this fold of the
/// account's card events in the campaign.
///
/// A card counts as filled as long as it has as many stamps as its goal, also after it was redeemed or thrown away. A reversal that takes
/// stamps off it opens its place again, and an account whose only code was taken back is welcomed again.
public struct CardTally: Hashable, Sendable {
    private struct Progress: Hashable {
        let goal: Int
        var stamps = 0
    }

    private var cards: [CardID: Progress] = [:]
    private var lastUsed: CodeID?
    private var lastReversed: CodeID?

    /// Codes that gave stamps which were not taken back.
    public private(set) var codes = 0
    /// Cards that have as many stamps as their goal. Coupons are not counted: their campaigns limit them otherwise.
    public private(set) var filled = 0
    /// Cards that were ever opened, whatever became of them.
    public private(set) var opened = 0

    /// Nothing yet.
    public init() {}

    /// Counted elsewhere, and not to be evolved.
    public init(codes: Int, filled: Int, opened: Int) {
        (self.codes, self.filled, self.opened) = (codes, filled, opened)
    }

    /// Takes in the next event of the account in the campaign; events that are about no stamps change nothing.
    public mutating func evolve(_ event: LoyaltyEvent) {
        switch event {
        case .cardOpened(let event):
            cards[event.card] = Progress(goal: event.goal)
            opened += 1
        case .cardStamped(let event):
            // The events of one code stand together.
            if lastUsed != event.code { codes += 1 }
            lastUsed = event.code
            change(event.card, by: event.stamps)
        case .stampReversed(let event):
            if lastReversed != event.code { codes -= 1 }
            lastReversed = event.code
            change(event.card, by: -event.stamps)
        case .cardAdjusted(let event): change(event.card, by: event.stamps)
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
