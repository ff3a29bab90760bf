import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// Lists by rating and lists of well-rated shops, against plain lists of the ratings that were not removed.
@Suite(.timeLimit(.minutes(15))) struct RatingTests {
    private static let center = Coordinate(latitude: 31.23, longitude: 121.47)

    private static func town(_ random: inout SeededRandom, shops: Int = 80) -> Town {
        var town = Town()
        for _ in 0..<shops {
            let shop = town.open("Tea", at: PlaceTests.around(center, meters: 3_000, &random))
            for _ in 0..<Int.random(in: 0...3, using: &random) { town.publish("Ten cups", at: shop) }
        }
        return town
    }

    private static func act(_ town: inout Town, _ random: inout SeededRandom) {
        let (shop, account) = (Int.random(in: 0..<town.shops.count, using: &random), AccountID(UInt128.random(in: 1...5, using: &random)))
        if Int.random(in: 0..<3, using: &random) == 0 {
            town.unrate(shop, by: account, at: Int.random(in: 0...2, using: &random))
        } else {
            town.rate(shop, Int.random(in: 1...5, using: &random), by: account)
        }
    }

    /// Shops by mean and age, then each shop's campaigns by age.
    private static func expected(_ town: Town, least: Int = 0) -> (shops: [ShopID], campaigns: [CampaignID]) {
        let order = town.shops.indices.filter { town.shops[$0].mean >= least }
            .sorted { (town.shops[$0].mean, town.shops[$0].position) > (town.shops[$1].mean, town.shops[$1].position) }
        let campaigns = order.flatMap { shop in town.campaigns.filter { $0.shop == shop }.map(\.id).reversed() }
        return (order.map { town.shops[$0].id }, campaigns)
    }

    @Test("Each account's latest rating that was not removed decides a shop's place, whatever happened before")
    func order() async throws {
        var random = SeededRandom.announced("order by rating")
        var town = Self.town(&random)
        let open = try OpenDiscovery()
        for _ in 0..<20 {
            for _ in 0..<60 { Self.act(&town, &random) }
            try await open.append(town.news())
            let expected = Self.expected(town)
            #expect(try await open.all(ShopSearch(sort: .rating), limit: 7).map(\.id) == expected.shops)
            #expect(try await open.all(CampaignSearch(now: Town.now, sort: .rating), limit: 7).map(\.id) == expected.campaigns)
            let near = Near(center: Self.center, radiusMeters: 50_000)
            #expect(try await open.all(CampaignSearch(near: near, now: Town.now, sort: .rating)).map(\.id) == expected.campaigns)
            for stars in [1.0, 3.0, 3.5, 4.3333, 5.0] {
                let (least, filter) = (Int((stars * 10_000).rounded()), ShopFilter(minRating: MinRating(stars: stars)))
                let rated = Self.expected(town, least: least)
                let shops = try await open.all(ShopSearch(filter: filter, sort: .rating), limit: 9).map(\.id)
                #expect(shops == rated.shops, "\(stars)")
                let campaigns = try await open.all(CampaignSearch(now: Town.now, filter: filter)).map(\.id)
                #expect(Set(campaigns) == Set(rated.campaigns) && campaigns.count == rated.campaigns.count, "\(stars)")
            }
        }
        try open.close()
    }

    @Test("A list of shops by rating keeps the order of its first page while ratings change and shops open")
    func pages() async throws {
        var random = SeededRandom.announced("pages by rating")
        var town = Self.town(&random)
        for _ in 0..<200 { Self.act(&town, &random) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let expected = Self.expected(town).shops
        var (found, cursor): ([ShopID], DiscoveryCursor?) = ([], nil)
        repeat {
            let page = try open.discovery.shops(ShopSearch(sort: .rating), after: cursor, limit: 7)
            found += page.items.map(\.id)
            cursor = page.next.map { DiscoveryCursor(packed: $0.packed) }
            for _ in 0..<30 { Self.act(&town, &random) }
            town.publish("New", at: town.open("New", at: Self.center))
            try await open.append(town.news())
        } while cursor != nil
        #expect(found == expected)
        try open.close()
    }

    @Test("A list by rating among thousands of shops with one mean visits a bounded number of rows per page, from any place")
    func bounds() async throws {
        var town = Town()
        for _ in 0..<6_000 {
            let shop = town.open("Tea", at: Self.center)
            town.publish("Ten cups", at: shop, kind: .promotion)
        }
        let first = town.publish("Ten cups", at: 0)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(now: Town.now, sort: .rating)
        search.kind = .stampCard
        var (found, cursor, looks): ([CampaignID], DiscoveryCursor?, [Int]) = ([], nil, [])
        repeat {
            let page = try open.discovery.campaigns(search, after: cursor)
            found += page.items.map(\.id)
            looks.append(page.looks)
            cursor = page.next
        } while cursor != nil
        #expect(found == [town.campaigns[first].id], "the oldest shop is last")
        #expect(looks == [SearchLimits.looksPerWalk, 6_001 - SearchLimits.looksPerWalk])
        try open.close()
    }

    @Test("An old cursor by rating costs no more than a new one, and the list goes on in the present order")
    func oldCursor() async throws {
        var random = SeededRandom.announced("old cursors by rating")
        var town = Self.town(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let page = try open.discovery.shops(ShopSearch(sort: .rating), limit: 20)
        for number in 0...2 * SearchLimits.changesMax { town.rate(number % 10, 1 + number / 10 % 5, by: AccountID(1)) }
        try await open.append(town.news())
        let second = try open.discovery.shops(ShopSearch(sort: .rating), after: page.next, limit: 20)
        #expect(second.looks <= SearchLimits.looksMax && second.items.count == 20)
        #expect(try #require(second.next).seen == open.log.head.rawValue)
        try open.close()
    }
}
