import Testing

@testable import LoadGenerator

/// The load generator's oracle detects every way in which a server can be wrong about a card.
@Suite("The card book")
struct CardBookTests {
    private static func card(_ id: String, _ status: String, _ stamps: Int, history: [Int]? = nil) -> CardBody {
        CardBody(
            id: id, status: status, stamps: stamps, goal: 5,
            history: history?.enumerated().map { CardBody.Entry(kind: "stamped", stamps: $1, position: $0 + 1) })
    }

    private static func answer(_ cards: [CardBody], added: Int) -> StampBody { StampBody(card: cards[0], cards: cards, added: added) }

    @Test("Correct stamps, full cards and overflow cause no violation")
    func right() {
        let violations = Violations()
        var book = CardBook(goal: 5)
        book.stamped(3, Self.answer([Self.card("a", "collecting", 3, history: [3])], added: 3), violations)
        let three = [Self.card("a", "full", 5), Self.card("b", "full", 5), Self.card("c", "collecting", 3)]
        book.stamped(10, Self.answer(three, added: 10), violations)
        #expect(violations.texts == [])
        #expect(book.full.map(\.id) == ["a", "b"])
        #expect(book.cards.map(\.stamps) == [5, 5, 3])
        book.redeemed("a")
        book.check(Self.card("a", "redeemed", 5), violations)
        book.check(Self.card("c", "collecting", 3, history: [3]), violations)
        #expect(violations.count == 0)
    }

    @Test(
        "A wrong answer to a stamp is reported",
        arguments: [
            ("lost", [card("a", "collecting", 1)], 2), ("doubled", [card("a", "collecting", 4)], 2),
            ("added is wrong", [card("a", "collecting", 2)], 3), ("status is wrong", [card("a", "full", 2)], 2),
            ("beyond the goal", [card("a", "full", 6)], 6),
            ("a card too many", [card("a", "collecting", 2), card("b", "collecting", 0)], 2),
            ("history is short", [card("a", "collecting", 2, history: [1])], 2),
        ])
    func wrong(_ name: String, _ cards: [CardBody], _ added: Int) {
        let violations = Violations()
        var book = CardBook(goal: 5)
        book.stamped(added == 6 ? 6 : 2, Self.answer(cards, added: added), violations)
        #expect(violations.count > 0, "\(name)")
    }

    @Test("A card that changes afterwards or was never opened is reported")
    func changed() {
        var book = CardBook(goal: 5)
        book.stamped(2, Self.answer([Self.card("a", "collecting", 2)], added: 2), Violations())
        for shown in [Self.card("a", "collecting", 1), Self.card("a", "discarded", 2), Self.card("x", "collecting", 2)] {
            let violations = Violations()
            book.check(shown, violations)
            #expect(violations.count == 1)
        }
    }
}
