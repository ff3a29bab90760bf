/// The stamps that codes gave to a card, and their fate when it was taken over.
///
/// The oldest move to the account's own card, the next stay, and the newest lapse. A reversal needs to know where they are.
public struct GivenStamps: Hashable, Sendable {
    struct Part: Hashable {
        let code: CodeID
        let at: Instant
        var stamps: Int
        /// See ``CardStamped/worth``.
        var worth: Int
    }

    /// Oldest code first; fixed once the card was taken over.
    private(set) var parts: [Part] = []
    private var taken: WaitingCardTaken?
    /// Codes after the take-over.
    private var later: Set<CodeID> = []

    public init() {}

    public var isTakenOver: Bool { taken != nil }

    /// An operator takes off the newest stamps, and adds stamps of no code.
    public mutating func evolve(_ fact: Fact) {
        guard taken == nil else {
            if case .cardStamped(let event) = fact.event { later.insert(event.code) }
            return
        }
        switch fact.event {
        case .cardStamped(let event): parts.append(Part(code: event.code, at: fact.time, stamps: event.stamps, worth: event.worth))
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

    func worth(within seconds: Int64, of now: Instant) -> Int {
        parts.reduce(0) { $0 + ($1.at > now.advanced(bySeconds: -seconds) && $1.at <= now ? $1.worth : 0) }
    }

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
    mutating func standingUses(of code: CodeID) throws(Failure) -> [CodeUse] {
        var standing: [CodeUse] = []
        for use in try uses(of: code) { standing += try isTakenOver(use.card) ? given(on: use.card).places(of: use, by: code) : [use] }
        return standing
    }

    /// The code's stamps that were taken back, on the cards that it stamped.
    mutating func reversedUses(of code: CodeID) throws(Failure) -> [CodeUse] {
        try standingUses(of: code).dropping(try self.code(code)?.stampsLeft ?? 0)
    }
}

/// Reversals take a code's last stamps first.
extension [CodeUse] {
    var stamps: Int { reduce(0) { $0 + $1.stamps } }

    /// - Parameter count: nil for all stamps.
    func first(_ count: Int?) -> [CodeUse] {
        guard var left = count else { return self }
        return compactMap { use in
            let stamps = Swift.min(left, use.stamps)
            left -= stamps
            return stamps > 0 ? CodeUse(card: use.card, stamps: stamps, at: use.at) : nil
        }
    }

    func dropping(_ count: Int) -> [CodeUse] {
        var left = Swift.max(0, count)
        return compactMap { use in
            let stamps = Swift.max(0, use.stamps - left)
            left = Swift.max(0, left - use.stamps)
            return stamps > 0 ? CodeUse(card: use.card, stamps: stamps, at: use.at) : nil
        }
    }
}
