/// The expected cards of one customer in one campaign, derived from acknowledged requests without the server's code.
struct CardBook: Sendable {
    struct Card: Sendable, Equatable {
        let id: String
        var status: String
        var stamps: Int
    }

    let goal: Int
    /// In the order in which they were opened.
    private(set) var cards: [Card] = []

    var full: [Card] { cards.filter { $0.status == "full" } }

    /// Adds an acknowledged code's stamps, and compares the answer with the expected cards.
    mutating func stamped(_ stamps: Int, _ answer: StampBody, _ violations: Violations) {
        var left = stamps
        var expected: [Card] = []
        for shown in answer.cards {
            let index = cards.firstIndex { $0.status == "collecting" } ?? open(shown.id, violations)
            let room = min(left, goal - cards[index].stamps)
            left -= room
            cards[index].stamps += room
            if cards[index].stamps == goal { cards[index].status = "full" }
            expected.append(cards[index])
        }
        let got = answer.cards.map { Card(id: $0.id, status: $0.status, stamps: $0.stamps) }
        violations.require(
            got == expected && left == 0, "a code of \(stamps) stamps: the cards are \(got), they should be \(expected), \(left) left")
        violations.require(answer.added == stamps, "a code of \(stamps) stamps added \(answer.added)")
        violations.require(answer.card.id == answer.cards.first?.id, "card is not the first of cards")
        for card in answer.cards { check(history: card, violations) }
    }

    private mutating func open(_ id: String, _ violations: Violations) -> Int {
        violations.require(!cards.contains { $0.id == id }, "card \(id) was opened twice")
        cards.append(Card(id: id, status: "collecting", stamps: 0))
        return cards.count - 1
    }

    mutating func redeemed(_ id: String) {
        if let index = cards.firstIndex(where: { $0.id == id }) { cards[index].status = "redeemed" }
    }

    func check(_ shown: CardBody, _ violations: Violations) {
        guard let card = cards.first(where: { $0.id == shown.id }) else { return violations.report("card \(shown.id) came from nowhere") }
        let got = Card(id: shown.id, status: shown.status, stamps: shown.stamps)
        violations.require(got == card, "the card is \(got), it should be \(card)")
        violations.require(shown.goal == goal, "card \(shown.id) has the goal \(shown.goal) in place of \(goal)")
        check(history: shown, violations)
    }

    /// The entries must account for all stamps, at ascending positions.
    private func check(history card: CardBody, _ violations: Violations) {
        guard let history = card.history else { return }
        let sum = history.reduce(0) { $0 + ($1.kind == "stamped" ? $1.stamps : 0) }
        violations.require(sum == card.stamps, "card \(card.id) has \(card.stamps) stamps and \(sum) in its history")
        let positions = history.map(\.position)
        violations.require(positions == Array(Set(positions)).sorted(), "the history of card \(card.id) is out of order")
    }
}
