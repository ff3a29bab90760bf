internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Every card in memory, folded from the log: what `CardProgress` must hold.
///
/// Cards stand in an array and are changed in place, so that a stamp costs one look-up and sixteen bytes of history.
struct ReplayedCards: ReplayedModel {
    static var model: any Projection.Type { CardProgress.self }

    private(set) var cards: [Card] = []
    private var index: RowIndex

    /// - Parameter capacity: cards expected; more only cost time.
    init(capacity: Int) {
        index = RowIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool {
        guard let stamp = SingleStamp(record), let place = index.place(of: stamp.card) else { return false }
        cards[place].addStamps(1, at: Instant(microseconds: record.time.microseconds), position: position.rawValue)
        return true
    }

    mutating func apply(_ fact: Fact) throws(AuditError) {
        guard let id = fact.event.card else { return }
        if let place = index.place(of: id.value) {
            if case .cardOpened = fact.event { throw Self.refused("card \(id.text) is opened a second time.", at: fact.position) }
            cards[place].evolve(fact)
        } else {
            try open(fact, id)
        }
    }

    private mutating func open(_ fact: Fact, _ id: CardID) throws(AuditError) {
        guard var card = Card(opening: fact) else { throw Self.refused("card \(id.text) was never opened.", at: fact.position) }
        // Opened, a stamp for each of its goal, requested, redeemed: mostly no growth after this.
        card.history.reserveCapacity(card.goal + 3)
        _ = index.insert(id.value)
        cards.append(card)
    }
}
