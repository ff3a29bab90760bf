/// The stamps that codes gave to a card, and what became of them when an account took the card over.
///
/// The oldest code's stamps move to the account's own card first. The next ones stay, and the newest lapse. So for each code it is known
/// how many of its stamps a reversal may still take, and from which card.
public struct GivenStamps: Hashable, Sendable {
    /// The stamps of one code that are still on the card.
    struct Part: Hashable {
        let code: CodeID
        let at: Instant
        var stamps: Int
        /// The part of the code's worth that the stamps used up; see ``CardStamped/worth``.
        var worth: Int
    }

    /// The stamps by code, the oldest code first. After the card was taken over, this does not change any more.
    private(set) var parts: [Part] = []
    private var taken: WaitingCardTaken?
    /// The codes that stamped the card after it was taken over.
    private var later: Set<CodeID> = []

    public init() {}

    /// Whether the card waited for a phone number, and an account took it over.
    public var isTakenOver: Bool { taken != nil }

    /// Applies the next event about the card. An operator takes off the newest stamps, and adds stamps of no code.
    public mutating func evolve(_ fact: Fact) {
        guard taken == nil else {
            if case .cardStamped(let event) = fact.event { later.insert(event.code) }
            return
        }
        switch fact.event {
        case .cardStamped(let event):
            parts.append(Part(code: event.code, at: fact.time, stamps: event.stamps, worth: event.worth))
        case .stampReversed(let event): remove(event.stamps, first: event.code)
        case .cardAdjusted(let event) where event.stamps < 0: remove(-event.stamps, first: nil)
        case .waitingCardTaken(let event) where event.from != nil: taken = event
        default: break
        }
    }

    private mutating func remove(_ stamps: Int, first code: CodeID?) {
        var left = stamps
        let newestFirst = parts.indices.reversed()
        for place in newestFirst.filter({ parts[$0].code == code }) + newestFirst {
            let removed = min(left, parts[place].stamps)
            parts[place].stamps -= removed
            parts[place].worth = min(parts[place].worth, parts[place].stamps)
            left -= removed
        }
        parts.removeAll { $0.stamps == 0 }
    }

    /// The worth of the codes that stamped the card within the last `seconds`.
    func worth(within seconds: Int64, of now: Instant) -> Int {
        parts.reduce(0) { $0 + ($1.at > now.advanced(bySeconds: -seconds) && $1.at <= now ? $1.worth : 0) }
    }

    /// The cards on which the stamps of a use of this card are now. Stamps that lapsed are left out.
    public func places(of use: CodeUse, by code: CodeID) -> [CodeUse] {
        guard let taken, !later.contains(code) else { return [use] }
        var (moved, kept) = (taken.moved, taken.stamps)
        for part in parts {
            let (over, stays) = (min(part.stamps, moved), min(max(0, part.stamps - moved), kept))
            (moved, kept) = (moved - over, kept - stays)
            guard part.code == code else { continue }
            let places = [(taken.onto ?? use.card, over), (use.card, stays)]
            return places.filter { $0.1 > 0 }.map { CodeUse(card: $0.0, stamps: $0.1, at: use.at) }
        }
        return []
    }
}

extension Past {
    /// The stamps of a code on the cards that have had them since accounts took over waiting cards.
    mutating func standingUses(of code: CodeID) throws(Failure) -> [CodeUse] {
        var standing: [CodeUse] = []
        for use in try uses(of: code) {
            standing += try isTakenOver(use.card) ? given(on: use.card).places(of: use, by: code) : [use]
        }
        return standing
    }
}
