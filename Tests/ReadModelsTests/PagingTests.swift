import EventLog
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing

/// Pages show each item once, even if new items arrive between two pages.
@Suite(.timeLimit(.minutes(15))) struct PagingTests {
    @Test("Pages of cards show each card once, even if newer events arrive between two pages", arguments: [1, 2, 7])
    func cardsAreShownOnce(_ limit: Int) async throws {
        var history = RandomHistory(random: SeededRandom.announced("cards"), shops: 2, customers: 2)
        history.grow(to: 500)
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let account = history.customers[0]
        let expected = Oracle(history.facts).cards(of: account).map(\.id)
        #expect(expected.count > 5)
        var shown: [CardID] = []
        var next: Position?
        repeat {
            let page = try open.models.cards.cards(of: account, before: next, limit: limit)
            #expect(page.cards.count <= limit)
            shown += page.cards.map(\.id)
            next = page.next
            // Newer items arrive, which belong on an earlier page. The remaining pages must not show them.
            let stored = history.facts.count
            history.grow(to: stored + 20)
            #expect(try await open.append(history.facts[stored...]))
        } while next != nil
        #expect(shown == expected)
        try open.close()
    }

    @Test("Pages of reviews show each review once, except those removed before their page was requested", arguments: [1, 3])
    func reviewsAreShownOnce(_ limit: Int) async throws {
        var history = RandomHistory(random: SeededRandom.announced("reviews"), shops: 1)
        history.grow(to: 600)
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let oracle = Oracle(history.facts)
        let expected = oracle.reviews(of: history.shops[0]).map(\.event.review).filter { oracle.isShown($0, oracle.removed) }
        #expect(expected.count > 5)
        var shown: [ReviewID] = []
        var next: Position?
        repeat {
            let page = try open.models.ratings.reviews(of: history.shops[0], before: next, limit: limit)
            shown += page.threads.map(\.id)
            next = page.next
            let stored = history.facts.count
            history.grow(to: stored + 20)
            #expect(try await open.append(history.facts[stored...]))
        } while next != nil
        // All items are shown, except those taken down before their page was requested.
        #expect(shown == expected.filter(Set(shown).contains))
        let later = Oracle(history.facts)
        let removed = later.removed
        #expect(Set(shown).isSuperset(of: expected.filter { later.isShown($0, removed) }))
        try open.close()
    }

    @Test("A page's limit is clamped to the allowed range, and an unknown account or shop has empty pages")
    func limitsAreClamped() async throws {
        var history = RandomHistory(random: SeededRandom.announced("limits"))
        history.grow(to: 300)
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let account = try #require(Oracle(history.facts).cards.values.first).holder
        #expect(try open.models.cards.cards(of: account, limit: -5).cards.count == 1)
        #expect(try open.models.cards.cards(of: account, limit: .max).next == nil)
        #expect(try open.models.cards.cards(of: AccountID(1)).cards.isEmpty)
        #expect(try open.models.ratings.rating(of: ShopID(1)) == .none)
        #expect(Rating.none.average == nil)
        #expect(try open.models.ratings.reviews(of: ShopID(1)).threads.isEmpty)
        #expect(try open.models.ratings.review(ReviewID(1)) == nil)
        try open.close()
    }
}
