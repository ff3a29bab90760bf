/// The replacement of a card that a reversal emptied and discarded, because another card of its holder collects again.
///
/// A reversal takes stamps off the collecting card first, even stamps that other codes gave. In exchange, as many stamps of the reversed
/// code stay on the cards that had them, and from then on they belong to those other codes. So if another code had stamped the discarded
/// card, that code's stamps are now on the card that replaces it, or on a full card that lost none in this reversal, see ``StandingUses``.
public struct CardReplacement: Hashable, Sendable {
    /// The card off which the reversal took stamps next. It replaces the discarded card.
    public let card: CardID
    /// The code whose stamps the reversal took back. All its stamps are reversed together and only once.
    public let code: CodeID
    /// The stamps that the reversal took off the discarded card.
    public let stamps: Int
    /// The position at which the card was discarded.
    public let position: UInt64

    public init(card: CardID, code: CodeID, stamps: Int, position: UInt64) {
        (self.card, self.code, self.stamps, self.position) = (card, code, stamps, position)
    }

    /// Whether `next` continues the same reversal, which then also discarded the replacing card.
    func goesOn(in next: CardReplacement) -> Bool { next.code == code }
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
    /// The stamps that the reversal of one code took off the card beyond the stamps that this code had given to it.
    struct Part {
        let code: CodeID
        let stamps: Int
        /// The cards to which the code had given stamps.
        let cards: Set<CardID>
    }

    /// The card that lost the stamps.
    let card: CardID
    private(set) var parts: [Part] = []

    var stamps: Int { parts.reduce(0) { $0 + $1.stamps } }

    /// Loads the stamps that reversals took off a card beyond the stamps that the reversed codes had given to the card.
    ///
    /// - Parameter code: a code whose reversal is left out.
    static func load<P: Past>(of card: CardID, besides code: CodeID, in past: inout P) throws(P.Failure) -> Loan {
        var loan = Loan(card: card)
        for taken in try past.taken(from: card) where taken.code != code {
            let uses = try past.standingUses(of: taken.code)
            let own = uses.reduce(0) { $0 + ($1.card == card ? $1.stamps : 0) }
            guard taken.stamps > own else { continue }
            loan.parts.append(Part(code: taken.code, stamps: taken.stamps - own, cards: Set(uses.map(\.card))))
        }
        return loan
    }

    /// The number of stamps that may be on another card than `next`, which replaced the card. If a reversed code had stamped no other card
    /// than these two, its part of the loan is on `next`.
    func stamps(besidesOn next: CardID) -> Int {
        parts.reduce(0) { $0 + ($1.cards.contains { $0 != card && $0 != next } ? $1.stamps : 0) }
    }
}

/// The way of stamps from the card to which a code gave them to the card where they are now.
private struct Way {
    /// A discarded card on the way, and its replacement.
    struct Step {
        let card: CardID
        let replacement: CardReplacement
    }

    let use: CodeUse
    private(set) var steps: [Step] = []
    /// The card where the stamps are now.
    private(set) var end: Card

    /// Follows the replacements of discarded cards; nil if the card that the code stamped is unknown.
    ///
    /// Stamps on a card that its holder discarded stay there: they were given up, and no other card has them.
    static func load<P: Past>(of use: CodeUse, in past: inout P) throws(P.Failure) -> Way? {
        guard let first = try past.card(use.card) else { return nil }
        var way = Way(use: use, end: first)
        // Each replacement must have a higher position than the replacement before it, so the loop ends even if the log is wrong.
        while way.end.status == .discarded, let replacement = try past.replacement(of: way.end.id),
            replacement.position > way.steps.last?.replacement.position ?? 0, let next = try past.card(replacement.card)
        {
            way.steps.append(Step(card: way.end.id, replacement: replacement))
            way.end = next
        }
        return way
    }

    /// Whether no stamps of the use were removed from a card on the way before that card was replaced.
    ///
    /// If the reversal took fewer stamps off a card than the code had given to the way's first card, and stamps lent to full cards by this
    /// card or by those before it do not explain this, an operator had removed some. Removed stamps did not move to the next card. If one
    /// reversal discarded several cards in a row, only the first of them is checked.
    func isComplete<P: Past>(of code: CodeID, in past: inout P) throws(P.Failure) -> Bool {
        guard steps.contains(where: { $0.replacement.stamps < use.stamps }) else { return true }
        // `lent`: stamps that the cards so far lent to cards beside the way. The next card on the way never had them.
        var (lent, last) = (0, CardReplacement?.none)
        for step in steps {
            let loan = try Loan.load(of: step.card, besides: code, in: &past)
            let isSameStep = last?.goesOn(in: step.replacement) ?? false
            if !isSameStep, step.replacement.stamps < use.stamps, lent + loan.stamps < use.stamps { return false }
            lent += loan.stamps(besidesOn: step.replacement.card)
            last = step.replacement
        }
        return true
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
    /// Reversals of other codes took them: they took more stamps off the card, or off a discarded card that it replaced, than those codes
    /// had given to it.
    private(set) var lent: [CardID: Int] = [:]
    /// The full cards that kept their stamps because reversals took stamps off ``cards`` in their place, or off discarded cards that those
    /// replaced, directly or by way of other cards. Each card occurs once.
    private(set) var keepers: [Card] = []
    /// For the cards that were found in the search for ``keepers``: the number of stamps of reversed codes that a card kept, because other
    /// cards lost stamps in their place.
    private(set) var kept: [CardID: Int] = [:]
    /// The ways of the code's stamps to ``cards``, one for each card that the code stamped.
    private var ways: [Way] = []

    /// Finds the cards that now have the stamps of a code. Also finds the full cards that kept their stamps because such a card lost stamps
    /// in their place.
    static func load<P: Past>(of code: CodeID, in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = try follow(code, in: &past)
        for way in standing.ways where standing.isComplete { standing.isComplete = try way.isComplete(of: code, in: &past) }
        try standing.findKeepers(code, in: &past)
        return standing
    }

    /// Finds the full cards that kept their stamps because reversals took stamps off ``cards`` in their place. The search begins with the
    /// cards that have fewer stamps than the code gave. It goes on with each card that it finds, because that card may have lost stamps in
    /// the same way, and with the discarded cards whose stamps moved to such a card, because they may have lost some before. It follows at
    /// most ``Limits/reversedHistoryMax`` codes.
    private mutating func findKeepers<P: Past>(_ code: CodeID, in past: inout P) throws(P.Failure) {
        var open = zip(uses, cards).filter { $1.stamps < $0.stamps }.map(\.1.id)
        var (known, borrowers) = (Set(open), Set<CodeID>())
        while let card = open.popLast() {
            let loan = try Loan.load(of: card, besides: code, in: &past)
            if cards.contains(where: { $0.id == card }) { lent[card, default: 0] += loan.stamps }
            for way in ways {
                for step in way.steps where step.card == card {
                    lent[way.end.id, default: 0] += loan.stamps(besidesOn: step.replacement.card)
                }
            }
            open += passed { $0.id == card }.filter { known.insert($0).inserted }
            for part in loan.parts where borrowers.count < Limits.reversedHistoryMax && borrowers.insert(part.code).inserted {
                let others = try Self.follow(part.code, in: &past)
                try count(others, of: part.code, in: &past)
                for other in others.cards where known.insert(other.id).inserted {
                    if other.status == .full, !cards.contains(where: { $0.id == other.id }) { keepers.append(other) }
                    open.append(other.id)
                }
                open += others.passed { _ in true }.filter { known.insert($0).inserted }
            }
        }
    }

    /// The discarded cards on the ways that end at a card for which `isEnd` is true.
    private func passed(_ isEnd: (Card) -> Bool) -> [CardID] {
        ways.filter { isEnd($0.end) }.flatMap { $0.steps.map(\.card) }
    }

    /// Adds the stamps of a reversed code that stayed on their cards to ``kept``.
    private mutating func count<P: Past>(_ others: StandingUses, of code: CodeID, in past: inout P) throws(P.Failure) {
        for use in others.uses {
            let taken = try past.taken(from: use.card).reduce(0) { $0 + ($1.code == code ? $1.stamps : 0) }
            kept[use.card, default: 0] += max(0, use.stamps - taken)
        }
    }

    /// Finds the card on which the stamps of each use of a code are now, by following the replacements of discarded cards.
    private static func follow<P: Past>(_ code: CodeID, in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = StandingUses()
        for use in try past.standingUses(of: code) {
            if let way = try Way.load(of: use, in: &past) { standing.add(way) } else { standing.isComplete = false }
        }
        return standing
    }

    private mutating func add(_ way: Way) {
        ways.append(way)
        let (use, card) = (way.use, way.end)
        guard let place = cards.firstIndex(where: { $0.id == card.id }) else {
            uses.append(CodeUse(card: card.id, stamps: use.stamps, at: use.at))
            return cards.append(card)
        }
        uses[place] = CodeUse(card: card.id, stamps: uses[place].stamps + use.stamps, at: uses[place].at)
    }
}
