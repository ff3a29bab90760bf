/// The discarding of a card that a reversal emptied because another card of its holder collects again.
///
/// A reversal takes stamps off the collecting card first, although other codes gave them. The card that loses stamps next keeps as many
/// stamps of the reversed code in exchange, and these now belong to the other codes. So a code that had stamped the discarded card finds
/// its stamps on the other card.
public struct CardReplacement: Hashable, Sendable {
    /// The card off which the same reversal took stamps next.
    public let card: CardID
    /// The stamps that the reversal took off the discarded card.
    public let stamps: Int
    /// The position at which the card was discarded.
    public let position: UInt64

    public init(card: CardID, stamps: Int, position: UInt64) {
        (self.card, self.stamps, self.position) = (card, stamps, position)
    }

    /// Whether `next` is the discarding that the same reversal caused directly after this one.
    func goesOn(in next: CardReplacement) -> Bool { next.position == position + 2 }
}

/// The stamps of one code, on the cards where they are now.
struct StandingUses {
    private(set) var uses: [CodeUse] = []
    /// The cards of ``uses``, in the same order; each occurs once.
    private(set) var cards: [Card] = []
    /// Whether each replaced card still had the code's stamps when it was replaced.
    private(set) var isComplete = true

    /// Finds the card on which the stamps of each use are now, by following the replacements of discarded cards.
    ///
    /// Stamps on a card that its holder discarded stay there: they were given up, and no other card has them.
    static func load<P: Past>(_ uses: [CodeUse], in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = StandingUses()
        for use in uses {
            guard var card = try past.card(use.card) else {
                standing.isComplete = false
                continue
            }
            var last: CardReplacement?
            // Each replacement must be later than the one before, so the loop ends even if the log is wrong.
            while card.status == .discarded, let replacement = try past.replacement(of: card.id),
                replacement.position > last?.position ?? 0, let next = try past.card(replacement.card)
            {
                // If the reversal took fewer stamps than the code gave, an operator had removed some, and these did not move. Of the cards
                // that one reversal discarded in a row, only the first is checked.
                let isSameStep = last?.goesOn(in: replacement) ?? false
                if !isSameStep, replacement.stamps < use.stamps { standing.isComplete = false }
                (last, card) = (replacement, next)
            }
            standing.add(use, on: card)
        }
        return standing
    }

    private mutating func add(_ use: CodeUse, on card: Card) {
        guard let place = cards.firstIndex(where: { $0.id == card.id }) else {
            uses.append(CodeUse(card: card.id, stamps: use.stamps, at: use.at))
            return cards.append(card)
        }
        uses[place] = CodeUse(card: card.id, stamps: uses[place].stamps + use.stamps, at: uses[place].at)
    }
}
