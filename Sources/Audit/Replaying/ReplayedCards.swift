internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Every card in memory, folded from the log: what `CardProgress` must hold.
///
/// Cards stand in an array and are changed in place, so that a stamp costs one look-up and sixteen bytes of history.
struct ReplayedCards {
    private(set) var cards: [Card] = []
    private var index: RowIndex

    /// - Parameter capacity: cards expected; more only cost time.
    init(capacity: Int) {
        index = RowIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    @inline(__always)
    mutating func apply(_ record: borrowing Record, at position: Position) throws {
        guard let stamp = SingleStamp(record), let place = index.place(of: stamp.card) else {
            return try apply(try LoyaltyCodec.decode(record, at: position))
        }
        cards[place].addStamps(1, at: Instant(microseconds: record.time.microseconds), position: position.rawValue)
    }

    private mutating func apply(_ fact: Fact) throws {
        guard let id = fact.event.card else { return }
        if let place = index.place(of: id.value) {
            if case .cardOpened = fact.event { throw Self.refused(fact, "card \(id.text) is opened a second time.") }
            cards[place].evolve(fact)
        } else {
            try open(fact, id)
        }
    }

    private mutating func open(_ fact: Fact, _ id: CardID) throws {
        guard var card = Card(opening: fact) else { throw Self.refused(fact, "card \(id.text) was never opened.") }
        // Opened, a stamp for each of its goal, requested, redeemed: mostly no growth after this.
        card.history.reserveCapacity(card.goal + 3)
        _ = index.insert(id.value)
        cards.append(card)
    }

    private static func refused(_ fact: Fact, _ detail: String) -> AuditError {
        AuditError(
            .event, detail, position: Position(fact.position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
