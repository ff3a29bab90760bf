import Testing

@testable import LoadGenerator

@Suite("Code and rating ledgers")
struct LedgerTests {
    private static let ticket = CodeLedger.Ticket(code: "K7QF-2M9X", campaign: 0, stamps: 1)

    @Test("Each code is handed out twice")
    func twice() {
        let ledger = CodeLedger(Violations())
        var chance = Chance(seed: 1)
        ledger.issued(Self.ticket)
        #expect(ledger.take(&chance)?.code == Self.ticket.code)
        #expect(ledger.waiting == 1)
        #expect(ledger.take(&chance)?.code == Self.ticket.code)
        #expect(ledger.take(&chance) == nil)
    }

    @Test(
        "Exactly one of the two attempts to use a code must succeed",
        arguments: [([true], 0), ([false, true], 0), ([true, false], 0), ([true, true], 1), ([false, false], 1)])
    func uses(_ attempts: [Bool], _ broken: Int) {
        let violations = Violations()
        let ledger = CodeLedger(violations)
        ledger.issued(Self.ticket)
        for accepted in attempts { ledger.entered(Self.ticket, accepted: accepted) }
        #expect(violations.count == broken)
    }

    @Test("A code issued twice is reported")
    func repeated() {
        let violations = Violations()
        let ledger = CodeLedger(violations)
        ledger.issued(Self.ticket)
        ledger.issued(Self.ticket)
        #expect(violations.count == 1)
    }

    @Test("A paper card that one customer has drawn is drawn by nobody else, and keeps its stamps when it is put back")
    func papers() {
        let violations = Violations()
        let ledger = PaperLedger(violations)
        var chance = Chance(seed: 1)
        #expect(ledger.draw(&chance) == nil)
        ledger.printed(["a", "b"], of: 3)
        guard var first = ledger.draw(&chance), let second = ledger.draw(&chance) else {
            Issue.record("nothing was drawn")
            return
        }
        #expect(ledger.draw(&chance) == nil && Set([first.code, second.code]) == ["a", "b"] && first.shop == 3 && first.stamps == 0)
        first.stamps = 2
        ledger.putBack(first)
        #expect(ledger.draw(&chance) == first)
        #expect(violations.count == 0)
        ledger.printed(["b"], of: 1)
        #expect(violations.count == 1)
    }

    @Test(
        "A shop's rating must be the mean of each account's latest rating",
        arguments: [
            (ShopBody.Rating(average: 3.5, count: 2, histogram: [0, 0, 1, 1, 0]), true),
            (ShopBody.Rating(average: 3.5, count: 2, histogram: [0, 1, 0, 0, 1]), false),
            (ShopBody.Rating(average: 3.4, count: 2, histogram: [0, 0, 1, 1, 0]), false),
            (ShopBody.Rating(average: nil, count: 2, histogram: [0, 0, 1, 1, 0]), false),
            (ShopBody.Rating(average: 3.5, count: 3, histogram: [0, 0, 1, 1, 0]), false),
        ])
    func ratings(_ shown: ShopBody.Rating, _ isRight: Bool) {
        let (book, violations) = (RatingBook(), Violations())
        book.rated(shop: 1, by: 1, 5)
        book.rated(shop: 1, by: 2, 4)
        book.rated(shop: 1, by: 1, 3)
        book.rated(shop: 2, by: 1, 1)
        book.check(shown, of: 1, violations)
        #expect((violations.count == 0) == isRight)
    }

    @Test(
        "A shop's statistics must count what happened there and nothing else",
        arguments: [
            (PlaceSums(codes: 2, stamps: 5, redemptions: 1), true), (.init(codes: 3, stamps: 5, redemptions: 1), false),
            (.init(codes: 2, stamps: 6, redemptions: 1), false), (.init(codes: 2, stamps: 5, redemptions: 0), false),
        ])
    func places(_ shown: PlaceSums, _ isRight: Bool) {
        let (book, violations) = (PlaceBook(), Violations())
        for place in ["a", "a", "b"] { book.issued(at: place) }
        for (stamps, place) in [(2, "a"), (3, "a"), (1, "b")] { book.stamped(stamps, at: place) }
        book.redeemed(at: "a")
        book.check(shown, of: "a", violations)
        #expect((violations.count == 0) == isRight)
        #expect(book.sum(of: ["a", "b"]) == .init(codes: 3, stamps: 6, redemptions: 1))
        book.check(.init(codes: 0, stamps: 0, redemptions: 0), of: "c", violations)
        #expect((violations.count == 0) == isRight)
    }

    @Test("An unrated shop must show no rating")
    func unrated() {
        let violations = Violations()
        RatingBook().check(.init(average: nil, count: 0, histogram: [0, 0, 0, 0, 0]), of: 1, violations)
        #expect(violations.count == 0)
    }
}
