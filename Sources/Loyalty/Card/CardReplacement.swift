/// The replacement of a card that a reversal emptied and discarded, because another card of its holder collects again.
///
/// A reversal takes stamps off the collecting card first, even stamps that other codes gave. In exchange, as many stamps of the reversed
/// code stay on the card that loses stamps next, and from then on they belong to those other codes. So if another code had stamped the
/// discarded card, that code's stamps are now on the card that replaces it.
public struct CardReplacement: Hashable, Sendable {
    /// The card off which the reversal took stamps next. It replaces the discarded card.
    public let card: CardID
    /// The stamps that the reversal took off the discarded card.
    public let stamps: Int
    /// The position at which the card was discarded.
    public let position: UInt64

    public init(card: CardID, stamps: Int, position: UInt64) {
        (self.card, self.stamps, self.position) = (card, stamps, position)
    }

    /// Whether `next` continues the same reversal, which then also discarded the replacing card. In that case, only the replacing card's
    /// `StampReversed` lies between the two `CardDiscarded` events.
    func goesOn(in next: CardReplacement) -> Bool { next.position == position + 2 }
}

/// Stamps that the reversal of a code took off a card.
public struct TakenStamps: Hashable, Sendable {
    public let code: CodeID
    public let stamps: Int

    public init(code: CodeID, stamps: Int) {
        (self.code, self.stamps) = (code, stamps)
    }
}

/// The stamps that reversals took off one card so that full cards kept their stamps.
///
/// A reversal takes stamps off the collecting card first, so that a full card stays full if it can. The collecting card then lacks stamps
/// of other codes, and these stamps are on the full card.
private struct Loan {
    private(set) var stamps = 0
    /// The codes whose reversals took these stamps. The codes' own stamps were on the cards that stayed full.
    private(set) var codes: [CodeID] = []

    /// Loads the stamps that reversals took off a card beyond the stamps that the reversed codes had given to it.
    ///
    /// - Parameter code: a code whose reversal is left out.
    static func load<P: Past>(of card: CardID, besides code: CodeID, in past: inout P) throws(P.Failure) -> Loan {
        var loan = Loan()
        for taken in try past.taken(from: card) where taken.code != code {
            var own = 0
            for use in try past.uses(of: taken.code) where use.card == card { own += use.stamps }
            guard taken.stamps > own else { continue }
            loan.stamps += taken.stamps - own
            loan.codes.append(taken.code)
        }
        return loan
    }
}

/// The stamps of one code, on the cards where they are now.
struct StandingUses {
    private(set) var uses: [CodeUse] = []
    /// The cards of ``uses``, in the same order; each occurs once.
    private(set) var cards: [Card] = []
    /// Whether each replaced card still had the code's stamps when it was replaced.
    private(set) var isComplete = true
    /// The stamps that a card lost so that a full card kept its stamps, for each of ``cards`` that has fewer stamps than the code gave.
    /// Reversals of other codes took them: they took more stamps off the card than those codes had given to it.
    private(set) var lent: [CardID: Int] = [:]
    /// The full cards that kept their stamps because reversals took stamps off ``cards`` in their place, directly or by way of other cards.
    /// Each card occurs once.
    private(set) var keepers: [Card] = []

    /// Finds the cards that now have the stamps of a code. Also finds the full cards that kept their stamps because such a card lost stamps
    /// in their place.
    static func load<P: Past>(of code: CodeID, in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = try follow(code, in: &past)
        try standing.findKeepers(code, in: &past)
        return standing
    }

    /// Finds the full cards that kept their stamps because reversals took stamps off ``cards`` in their place. If a card that is found is
    /// not full any more, the search continues with the cards that kept their stamps because this card lost some. It follows at most
    /// ``Limits/reversedHistoryMax`` codes.
    private mutating func findKeepers<P: Past>(_ code: CodeID, in past: inout P) throws(P.Failure) {
        var lacking = zip(uses, cards).filter { $1.stamps < $0.stamps }.map(\.1.id)
        var known = Set(cards.map(\.id))
        var looks = Limits.reversedHistoryMax
        while let card = lacking.popLast() {
            let loan = try Loan.load(of: card, besides: code, in: &past)
            if cards.contains(where: { $0.id == card }) { lent[card] = loan.stamps }
            for borrower in loan.codes.prefix(looks) {
                looks -= 1
                for other in try Self.follow(borrower, in: &past).cards where known.insert(other.id).inserted {
                    if other.status == .full { keepers.append(other) } else { lacking.append(other.id) }
                }
            }
        }
    }

    /// Finds the card on which the stamps of each use of a code are now, by following the replacements of discarded cards.
    ///
    /// Stamps on a card that its holder discarded stay there: they were given up, and no other card has them.
    private static func follow<P: Past>(_ code: CodeID, in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = StandingUses()
        for use in try past.uses(of: code) {
            guard var card = try past.card(use.card) else {
                standing.isComplete = false
                continue
            }
            var last: CardReplacement?
            // Each replacement must have a higher position than the replacement before it, so the loop ends even if the log is wrong.
            while card.status == .discarded, let replacement = try past.replacement(of: card.id),
                replacement.position > last?.position ?? 0, let next = try past.card(replacement.card)
            {
                // If the reversal took fewer stamps off the card than the code had given to it, and stamps lent to full cards do not
                // explain this, an operator had removed some. Removed stamps did not move to the next card. If one reversal discarded
                // several cards in a row, only the first of them is checked.
                let isSameStep = last?.goesOn(in: replacement) ?? false
                if !isSameStep, replacement.stamps < use.stamps,
                    try Loan.load(of: card.id, besides: code, in: &past).stamps < use.stamps
                {
                    standing.isComplete = false
                }
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
