import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// A campaign's standing is the same whether computed from memory or from the model.
@Suite(.timeLimit(.minutes(15))) struct StandingTests {
    private let one = CampaignID(2_000_000)
    private let other = CampaignID(2_000_001)

    @Test("A value that was read is remembered until it changes")
    func remembered() {
        var memory = StandingMemory()
        #expect(memory.standings(of: [one], for: nil) == nil)
        memory.remember([one: 3, other: 0], since: memory.epoch)
        #expect(memory.standings(of: [one, other], for: nil)?[one] == Standing(favorites: 3, isFavorite: nil))
        #expect(memory.standings(of: [one], for: AccountID(9)) == nil)
        memory.remember([one], of: AccountID(9), since: memory.epoch)
        #expect(memory.standings(of: [one, other], for: AccountID(9))?.mapValues(\.isFavorite) == [one: true, other: false])
        memory.change(one, of: AccountID(9))
        #expect(memory.standings(of: [one], for: nil) == nil && memory.standings(of: [other], for: nil) != nil)
        #expect(memory.standings(of: [other], for: AccountID(9)) == nil)
    }

    @Test("A value read before a change is not remembered after it")
    func late() {
        var memory = StandingMemory()
        let epoch = memory.epoch
        memory.change(one, of: AccountID(9))
        memory.remember([one: 0], since: epoch)
        memory.remember([], of: AccountID(9), since: epoch)
        #expect(memory.standings(of: [one], for: nil) == nil && memory.standings(of: [], for: AccountID(9)) == nil)
    }

    @Test("The memory is bounded and keeps values that are in use")
    func bounded() {
        var memory = StandingMemory(campaignsMax: 10, accountsMax: 10)
        for number in 0..<100 {
            memory.remember([CampaignID(UInt128(number)): number, one: 7], since: memory.epoch)
            memory.remember([], of: AccountID(UInt128(number)), since: memory.epoch)
            #expect(memory.standings(of: [one], for: nil) != nil)
        }
        let known = (0..<100).filter { memory.standings(of: [CampaignID(UInt128($0))], for: nil) != nil }
        #expect(known.count <= 21 && known.contains(99))
        #expect((0..<100).count { memory.standings(of: [], for: AccountID(UInt128($0))) != nil } <= 20)
    }

    @Test("After each change every account reads the current standing, even one with many favourites")
    func changes() async throws {
        var random = SeededRandom.announced("standings")
        var town = Town()
        let shop = town.open("茶", at: PlaceTests.corners[0])
        for number in 0..<(SearchLimits.rememberedFavoritesMax + 20) {
            town.publish("十杯送一 \(number)", at: shop, kind: .promotion, startsIn: 0)
        }
        // Account 1 begins with more favourites than are remembered. Random changes then leave it about half of the campaigns.
        for number in town.campaigns.indices { town.toggle(number, by: AccountID(1)) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var favorites: [Int] = []
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Account 1 chooses among all campaigns. The other accounts choose among the first nine.
                let account = AccountID(UInt128(Int.random(in: 1...3, using: &random)))
                town.toggle(Int.random(in: 0..<(account == AccountID(1) ? town.campaigns.count : 9), using: &random), by: account)
            }
            try await open.append(town.news())
            favorites.append(town.campaigns.count { $0.keepers.contains(AccountID(1)) })
            for account in [AccountID(1), AccountID(2), AccountID(3), nil] {
                let asked = town.campaigns.shuffled(using: &random).prefix(30)
                let standings = try open.discovery.standings(of: asked.map(\.id), for: account)
                for campaign in asked {
                    let expected = Standing(favorites: campaign.keepers.count, isFavorite: account.map { campaign.keepers.contains($0) })
                    #expect(standings[campaign.id] == expected)
                }
            }
        }
        let limit = SearchLimits.rememberedFavoritesMax
        #expect(favorites.contains { $0 > limit } && favorites.contains { $0 < limit }, "both sides of the limit were tested")
        try open.close()
    }

    @Test("The favourites of an erased account are not counted, and counts and lists of earlier positions still have them")
    func erased() async throws {
        var town = Town()
        let shop = town.open("茶", at: PlaceTests.corners[0])
        for number in 0..<3 { town.publish("十杯送一 \(number)", at: shop, kind: .promotion, startsIn: 0) }
        for (number, keeper) in [(0, 3), (0, 2), (1, 2)] as [(Int, UInt128)] { town.toggle(number, by: AccountID(keeper)) }
        let (data, ids) = (TestData(), town.campaigns.map(\.id))
        let open = try OpenDiscovery(data)
        try await open.append(town.news())
        func counts() throws -> [Int?] {
            let standings = try open.discovery.standings(of: ids, for: AccountID(3))
            return ids.map { standings[$0]?.favorites }
        }
        #expect(try counts() == [2, 1, 0])
        let (before, search) = (open.log.head, CampaignSearch(now: Town.now, sort: .popular))
        let first = try open.discovery.campaigns(search, limit: 1)
        town.erase(AccountID(2))
        try await open.append(town.news())
        #expect(try counts() == [1, 0, 0])
        #expect(try open.discovery.favorites(of: AccountID(2)).items.isEmpty)
        for (id, count) in zip(ids, [2, 1, 0]) {
            #expect(try open.discovery.favoriteCount(of: id, through: before)?.favorites == count)
            #expect(try open.discovery.favoriteCount(of: id, through: open.log.head)?.favorites == max(0, count - 1))
        }
        // A list that was begun before the erasure goes on in its order. In a new list, the newer of two campaigns without favourites comes
        // first.
        let rest = try open.discovery.campaigns(search, after: first.next, limit: 2)
        #expect((first.items + rest.items).map(\.id) == ids)
        #expect(try open.discovery.campaigns(search, limit: 3).items.map(\.id) == [ids[0], ids[2], ids[1]])
        let stored = try DiscoveryContent.stored(in: data.models)
        #expect(try stored.digest == DiscoveryContent.replayed(open.log, through: open.log.head).digest)
        let changes = try #require(stored.tables.first { $0.name == "changes" }).lines
        #expect(changes.count == 5 && Set(changes.map(\.key)).count == 5)
        try open.close()
    }

    @Test("Readers concurrent with a writer never keep a stale value")
    func races() async throws {
        var town = Town()
        let shop = town.open("茶", at: PlaceTests.corners[0])
        town.publish("十杯送一", at: shop, kind: .promotion, startsIn: 0)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let (discovery, campaign) = (open.discovery, town.campaigns[0].id)
        let readers = (0..<4).map { number in
            Task.detached {
                while !Task.isCancelled {
                    _ = try discovery.standings(of: [campaign], for: number == 0 ? nil : AccountID(1))
                    // A read from memory never suspends, so this task must yield to others.
                    await Task.yield()
                }
            }
        }
        for _ in 0..<200 {
            town.toggle(0, by: AccountID(1))
            try await open.append(town.news())
            let isKept = town.campaigns[0].keepers.contains(AccountID(1))
            let standing = try discovery.standings(of: [campaign], for: AccountID(1))[campaign]
            #expect(standing == Standing(favorites: isKept ? 1 : 0, isFavorite: isKept))
        }
        readers.forEach { $0.cancel() }
        for reader in readers { _ = await reader.result }
        try open.close()
    }
}
