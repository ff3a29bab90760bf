internal import Loyalty

/// Cards in the order in which they were opened, folded from their events.
struct PastCards {
    private(set) var cards: [Card] = []
    private var places: [CardID: Int] = [:]

    mutating func apply(_ fact: Fact) {
        guard let id = fact.event.card else { return }
        if let place = places[id] {
            cards[place].evolve(fact)
        } else if let card = Card(opening: fact) {
            places[id] = cards.count
            cards.append(card)
        }
    }
}
