import EventLog
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing
import World

/// Compares the model of saved searches with a fold of each account's events.
@Suite(.timeLimit(.minutes(15))) struct SearchOracleTests {
    @Test("Lists and due alerts are those of a fold of the log, after random histories", arguments: 0..<3)
    func likeFold(_ round: Int) async throws {
        let random = SeededRandom(seed: SeededRandom.announced("search oracle \(round)").seed &+ UInt64(round))
        var history = RandomHistory(random: random, ages: round > 0, searches: true)
        history.grow(to: 1_200)
        let open = try OpenData(TestData())
        for start in stride(from: 0, to: history.facts.count, by: 257) {
            #expect(try await open.append(history.facts[start..<min(start + 257, history.facts.count)]))
        }
        let searches = history.world.searches.values.filter { !$0.isRemoved }
        #expect(searches.count > 5)
        for account in history.customers + history.owners {
            let expected = searches.filter { $0.account == account }.sorted {
                $0.savedAt == $1.savedAt ? $0.id > $1.id : $0.savedAt > $1.savedAt
            }
            #expect(try open.models.searches.searches(of: account) == Array(expected))
        }
        for hours in [0, 12, 24, 1_000] as [Int64] {
            let now = history.now.advanced(bySeconds: hours * 3_600)
            let expected = searches.filter { $0.alerts && $0.dueAt <= now }.sorted { ($0.dueAt, $0.id) < ($1.dueAt, $1.id) }
            var (found, last): ([SavedSearch], SavedSearch?) = ([], nil)
            repeat {
                let page = try open.models.searches.due(through: now, after: last, limit: 3)
                found += page
                last = page.last
            } while last != nil
            #expect(found == expected, "\(hours) h")
        }
        try open.close()
    }
}
