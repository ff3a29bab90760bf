/// The replacement of a card that a reversal emptied and discarded, because another card of its holder collects again.
///
/// A reversal takes even other codes' stamps off the collecting card. Those codes get as many of the reversed code's stamps elsewhere, see
/// ``StandingUses``.
public struct CardReplacement: Hashable, Sendable {
    /// The card off which the reversal took stamps next.
    public let card: CardID
    public let code: CodeID
    public let stamps: Int
    public let position: UInt64

    public init(card: CardID, code: CodeID, stamps: Int, position: UInt64) {
        (self.card, self.code, self.stamps, self.position) = (card, code, stamps, position)
    }

    /// Whether one command made both.
    func goesOn(in next: CardReplacement) -> Bool { next.code == code && next.position <= position + 2 }
}

/// Stamps that one reversal of a code took off a card.
public struct TakenStamps: Hashable, Sendable {
    public let code: CodeID
    public let stamps: Int
    /// See ``StampReversed/left``.
    public let left: Int

    public init(_ event: StampReversed) { (code, stamps, left) = (event.code, event.stamps, event.left) }

    public func isOfCommand(of event: StampReversed) -> Bool { code == event.code && left == event.left }
}

/// Stamps that reversals took off one card so that full cards kept theirs.
private struct BorrowedStamps {
    /// Beyond those that the reversed code had given to the card.
    struct Part {
        let code: CodeID
        let stamps: Int
        /// The cards that the code stamped.
        let cards: Set<CardID>
    }

    let card: CardID
    private(set) var parts: [Part] = []

    var stamps: Int { parts.reduce(0) { $0 + $1.stamps } }

    /// - Parameter code: a code whose reversal is left out.
    static func load<P: Past>(of card: CardID, besides code: CodeID, in past: inout P) throws(P.Failure) -> BorrowedStamps {
        var borrowed = BorrowedStamps(card: card)
        let taken = try past.taken(from: card).filter { $0.code != code }
        for (place, one) in taken.enumerated() where !taken[..<place].contains(where: { $0.code == one.code }) {
            let stamps = taken.reduce(0) { $0 + ($1.code == one.code ? $1.stamps : 0) }
            let uses = try past.reversedUses(of: one.code)
            let own = uses.reduce(0) { $0 + ($1.card == card ? $1.stamps : 0) }
            guard stamps > own else { continue }
            borrowed.parts.append(Part(code: one.code, stamps: stamps - own, cards: Set(uses.map(\.card))))
        }
        return borrowed
    }

    /// If the reversed code stamped only these two cards, its stamps are on `next`.
    func stamps(besidesOn next: CardID) -> Int { parts.reduce(0) { $0 + ($1.cards.contains { $0 != card && $0 != next } ? $1.stamps : 0) } }
}

/// From the card that a code stamped to the card where the stamps are now.
private struct Way {
    struct Step {
        let card: CardID
        let replacement: CardReplacement
    }

    let use: CodeUse
    private(set) var steps: [Step] = []
    private(set) var end: Card

    /// Stamps on a card that its holder discarded stay there.
    static func load<P: Past>(of use: CodeUse, in past: inout P) throws(P.Failure) -> Way? {
        guard let first = try past.card(use.card) else { return nil }
        var way = Way(use: use, end: first)
        // Positions must ascend, so that the loop ends even if the log is wrong.
        while way.end.status == .discarded, let replacement = try past.replacement(of: way.end.id),
            replacement.position > way.steps.last?.replacement.position ?? 0, let next = try past.card(replacement.card)
        {
            way.steps.append(Step(card: way.end.id, replacement: replacement))
            way.end = next
        }
        return way
    }

    /// Whether no stamps of the use were removed on the way.
    ///
    /// Fewer stamps than the code gave, not explained by loans to full cards, mean an operator's removal. Of several cards that one
    /// reversal discarded, only the first is checked.
    func isComplete<P: Past>(of code: CodeID, in past: inout P) throws(P.Failure) -> Bool {
        guard steps.contains(where: { $0.replacement.stamps < use.stamps }) else { return true }
        // `lent`: stamps on cards beside the way, which the next card never had.
        var (lent, last) = (0, CardReplacement?.none)
        for step in steps {
            let borrowed = try BorrowedStamps.load(of: step.card, besides: code, in: &past)
            let isSameStep = last?.goesOn(in: step.replacement) ?? false
            if !isSameStep, step.replacement.stamps < use.stamps, lent + borrowed.stamps < use.stamps { return false }
            lent += borrowed.stamps(besidesOn: step.replacement.card)
            last = step.replacement
        }
        return true
    }
}

struct StandingUses {
    private(set) var uses: [CodeUse] = []
    private(set) var cards: [Card] = []
    /// Whether each replaced card still had the code's stamps.
    private(set) var isComplete = true
    /// Stamps that a card lost so that a full card kept its own.
    private(set) var lent: [CardID: Int] = [:]
    /// The full cards that kept their stamps in exchange, directly or by way of other cards.
    private(set) var keepers: [Card] = []
    private(set) var kept: [CardID: Int] = [:]
    private var ways: [Way] = []

    static func load<P: Past>(_ uses: [CodeUse], of code: CodeID, in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = try follow(uses, in: &past)
        for way in standing.ways where standing.isComplete { standing.isComplete = try way.isComplete(of: code, in: &past) }
        try standing.findKeepers(code, in: &past)
        return standing
    }

    /// Follows at most ``Limits/reversedHistoryMax`` codes.
    private mutating func findKeepers<P: Past>(_ code: CodeID, in past: inout P) throws(P.Failure) {
        var open = zip(uses, cards).filter { $1.stamps < $0.stamps }.map(\.1.id)
        var (known, borrowers) = (Set(open), Set<CodeID>())
        while let card = open.popLast() {
            let borrowed = try BorrowedStamps.load(of: card, besides: code, in: &past)
            if cards.contains(where: { $0.id == card }) { lent[card, default: 0] += borrowed.stamps }
            for way in ways {
                for step in way.steps where step.card == card {
                    lent[way.end.id, default: 0] += borrowed.stamps(besidesOn: step.replacement.card)
                }
            }
            open += passed { $0.id == card }.filter { known.insert($0).inserted }
            for part in borrowed.parts where borrowers.count < Limits.reversedHistoryMax && borrowers.insert(part.code).inserted {
                let others = try Self.follow(try past.reversedUses(of: part.code), in: &past)
                try count(others, of: part.code, in: &past)
                for other in others.cards where known.insert(other.id).inserted {
                    if other.status == .full, !cards.contains(where: { $0.id == other.id }) { keepers.append(other) }
                    open.append(other.id)
                }
                open += others.passed { _ in true }.filter { known.insert($0).inserted }
            }
        }
    }

    private func passed(_ isEnd: (Card) -> Bool) -> [CardID] { ways.filter { isEnd($0.end) }.flatMap { $0.steps.map(\.card) } }

    private mutating func count<P: Past>(_ others: StandingUses, of code: CodeID, in past: inout P) throws(P.Failure) {
        for use in others.uses {
            let taken = try past.taken(from: use.card).reduce(0) { $0 + ($1.code == code ? $1.stamps : 0) }
            kept[use.card, default: 0] += max(0, use.stamps - taken)
        }
    }

    private static func follow<P: Past>(_ uses: [CodeUse], in past: inout P) throws(P.Failure) -> StandingUses {
        var standing = StandingUses()
        for use in uses {
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
