import Testing
@testable import TillImport

@Suite struct CounterTests {
    private func visit(_ microseconds: Int64, customer: Int32 = 0, shop: Int32 = 0, stamps: UInt8 = 1) -> Visit {
        Visit(microseconds: microseconds, customer: customer, shop: shop, line: 2, stamps: stamps)
    }

    @Test("Every third visit of a customer fills a card if the goal is three")
    func everyThird() {
        var cards = CardCounter(goal: 3)
        #expect((1...7).map { _ in cards.fills(visit(0)) } == [false, false, true, false, false, true, false])
    }

    @Test("Visits of different customers and to different shops are counted separately")
    func separateCounts() {
        var cards = CardCounter(goal: 2)
        let visits = [visit(0), visit(0, customer: 1), visit(0, shop: 1), visit(0), visit(0, customer: 1)]
        #expect(visits.map { cards.fills($0) } == [false, false, false, true, true])
    }

    @Test("The stamps of a visit beyond a full card count for the next card")
    func surplusStamps() {
        var cards = CardCounter(goal: 3)
        #expect([2, 2, 1, 1, 7].map { cards.fills(visit(0, stamps: $0)) } == [false, true, false, true, true])
    }

    @Test("Visits to all shops of a shared campaign fill one card")
    func sharedCampaign() {
        var cards = CardCounter(goal: 2)
        #expect([0, 1, 2].map { cards.fills(visit(0, shop: $0), isShared: true) } == [false, true, false])
    }

    @Test("Rows that differ only in their stamps are numbered separately")
    func otherStamps() {
        var occurrences = OccurrenceCounter()
        let visits = [visit(1), visit(1, stamps: 2), visit(1), visit(1, stamps: 2)]
        #expect(visits.map { occurrences.number(of: $0) } == [1, 1, 2, 2])
    }

    @Test("Equal rows are numbered from one in their order")
    func equalRowsAreNumbered() {
        var occurrences = OccurrenceCounter()
        let visits = [visit(1), visit(1), visit(1, customer: 1), visit(1), visit(2), visit(2)]
        #expect(visits.map { occurrences.number(of: $0) } == [1, 2, 1, 3, 1, 2])
    }
}
