internal import EventLog
public import Loyalty
import LoyaltyCodec

extension LogPast {
    /// A code by its id.
    public func code(_ id: CodeID) throws -> Code? { Code.fold(try facts(Code.eventTypes, Tag(kind: .code, value: id.value))) }

    /// The uses of a code, the earliest first, with each card's stamps and time.
    public func uses(of code: CodeID) throws -> [CodeUse] {
        try facts([.cardStamped], Tag(kind: .code, value: code.value)).compactMap { fact in
            guard case .cardStamped(let event) = fact.event else { return nil }
            return CodeUse(card: event.card, stamps: event.stamps, at: fact.time)
        }
    }

    /// The times at which the last stamps of a code were reversed, by the positions of their events, also if a newer card of the holder
    /// lost them.
    public func reversals(on card: Card) throws -> [UInt64: Instant] {
        var times: [UInt64: Instant] = [:]
        for fact in try facts([.stampReversed], tags(of: card.holder, in: card.campaign)) {
            guard case .stampReversed(let event) = fact.event, event.left == 0 else { continue }
            for given in try facts([.cardStamped], Tag(kind: .code, value: event.code.value)) where given.event.card == card.id {
                times[given.position] = fact.time
            }
        }
        return times
    }

    /// The replacement of a card that a reversal discarded, named by the next event. The event before has the stamps taken off, unless it
    /// belongs to another code's reversal.
    public func replacement(of card: CardID) throws -> CardReplacement? {
        let discarded = try newest([.cardDiscarded], [Tag(kind: .card, value: card.value)], limit: 1).first
        guard let discarded, case .cardDiscarded(let event) = discarded.event, event.holder != discarded.actor,
            case .stampReversed(let next) = try fact(at: discarded.position + 1)?.event, next.card != card
        else { return nil }
        var stamps = 0
        if case .stampReversed(let taken) = try fact(at: discarded.position - 1)?.event, taken.card == card,
            TakenStamps(taken).isOfCommand(of: next)
        {
            stamps = taken.stamps
        }
        return CardReplacement(card: next.card, code: next.code, stamps: stamps, position: discarded.position)
    }

    /// Whether an account took over the card. The event of its own card names no waiting person.
    public func isTakenOver(_ card: CardID) throws -> Bool {
        try facts([.waitingCardTaken], Tag(kind: .card, value: card.value)).contains {
            if case .waitingCardTaken(let event) = $0.event { event.from != nil } else { false }
        }
    }

    /// The persons under whose ids cards waited until the account took them over, the last one first.
    package func waitingPersons(takenOverBy account: AccountID, limit: Int) throws -> [AccountID] {
        var persons: [AccountID] = []
        let tag = Tag(kind: .account, value: account.value)
        for fact in try newest([.waitingCardTaken], [tag], limit: Limits.takenCardsReadMax) where persons.count < limit {
            guard case .waitingCardTaken(let event) = fact.event, let from = event.from, !persons.contains(from) else { continue }
            persons.append(from)
        }
        return persons
    }

    /// The account that took over the person's cards.
    package func taker(of person: AccountID) throws -> AccountID? {
        let opened = try newest([.cardOpened], [Tag(kind: .account, value: person.value)], limit: Limits.takenCardsReadMax)
        return try opened.lazy.compactMap { try $0.event.card.flatMap { try card($0)?.holder } }.first { $0 != person }
    }

    /// The stamps that codes gave to a card.
    public func given(on card: CardID) throws -> GivenStamps {
        let types: [EventType] = [.cardStamped, .stampReversed, .cardAdjusted, .waitingCardTaken]
        return try facts(types, Tag(kind: .card, value: card.value)).reduce(into: GivenStamps()) { $0.evolve($1) }
    }

    /// The stamps that reversals took off a card, the earliest first.
    public func taken(from card: CardID) throws -> [TakenStamps] {
        try facts([.stampReversed], Tag(kind: .card, value: card.value)).compactMap { fact in
            guard case .stampReversed(let event) = fact.event else { return nil }
            return TakenStamps(event)
        }
    }

    private func fact(at number: UInt64) throws -> Fact? {
        guard number > 0, Position(number) <= bound ?? source.head else { return nil }
        return try source.event(at: Position(number)).map { try LoyaltyCodec.decode($0) }
    }

    /// The newest code whose text has this keyed hash.
    public func code(secret: Secret) throws -> Code? {
        let issued = try newest([.codeIssued], [Tag(kind: .codeSecret, value: secret.value)], limit: 1).first
        guard case .codeIssued(let event) = issued?.event else { return nil }
        return try code(event.code)
    }

    /// The paper cards that a shop printed at once.
    public func print(_ id: PrintID) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .print, value: id.value)))
    }

    /// Finds a print by the keyed hash of the half that its cards' codes share.
    public func print(secret: Secret) throws -> PaperPrint? {
        PaperPrint.fold(try facts([.paperCardsPrinted], Tag(kind: .printSecret, value: secret.value)))
    }

    /// A paper card; nil if no event about it exists.
    public func paper(_ id: PaperID) throws -> Paper? {
        Paper.fold(try facts([.paperStamped, .paperStampReversed, .paperCardTaken], Tag(kind: .paper, value: id.value)))
    }
}
