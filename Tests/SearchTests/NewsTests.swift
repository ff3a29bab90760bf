import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// What a search finds among the campaigns that were published after a position, against plain lists; and what that costs.
@Suite(.timeLimit(.minutes(15))) struct NewsTests {
    private static let center = Coordinate(latitude: 31.23, longitude: 121.47)

    private func news(_ search: CampaignSearch, after: UInt64, of open: OpenDiscovery, limit: Int = 100) throws -> SearchNews {
        var search = search
        search.isLasting = true
        return try open.discovery.news(search, after: Position(after), limit: limit)
    }

    @Test("News are exactly the lasting campaigns that fit and were published later, whatever the terms")
    func exact() async throws {
        var random = SeededRandom.announced("news")
        var town = Town()
        for number in 0..<400 {
            let shop = town.open(number.isMultiple(of: 3) ? "奶茶" : "Coffee", at: PlaceTests.around(Self.center, meters: 8_000, &random))
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let campaign = town.publish(
                    "Ten cups", at: shop, kind: Bool.random(using: &random) ? .stampCard : .promotion,
                    startsIn: Int64.random(in: -4_000...1_000, using: &random))
                if Int.random(in: 0..<10, using: &random) == 0 { town.end(campaign) }
            }
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let places = PlainGeography(town.shops.map(\.place))
        for _ in 0..<300 {
            var search = CampaignSearch(now: Town.now)
            if Bool.random(using: &random) {
                search.near = Near(center: PlaceTests.around(Self.center, meters: 8_000, &random), radiusMeters: 3_000)
            }
            search.kind = [nil, .stampCard, .promotion].randomElement(using: &random)!
            search.text = [nil, "奶茶", "coffee cups"].randomElement(using: &random)!
            let after = UInt64.random(in: 0...UInt64(town.facts.count), using: &random)
            let near = search.near.map { places.within($0.radiusMeters, of: $0.center) }
            let expected = town.campaigns.reversed().filter { campaign in
                let name = town.shops[campaign.shop].name
                return campaign.position > after && !campaign.isEnded && campaign.endsAt > Town.now
                    && (search.kind ?? campaign.kind) == campaign.kind && near.map { $0[campaign.shop] != nil } ?? true
                    && (search.text == nil || (search.text == "奶茶") == (name == "奶茶"))
            }.map(\.id)
            let found = try news(search, after: after, of: open)
            #expect(found.campaigns == Array(expected.prefix(100)) && found.hasMore == (expected.count > 100), "\(search) after \(after)")
            #expect(found.position == open.log.head)
        }
        try open.close()
    }

    @Test("Among very many new campaigns, news near a place are found by the place, within the budget of a search")
    func many() async throws {
        var town = Town()
        let far = Coordinate(latitude: 0, longitude: 0)
        let near = (0..<3).map { _ in town.open("Tea", at: Self.center) }
        let old = town.publish("Old", at: near[0])
        let first = town.publish("New", at: near[1])
        for number in 0..<6_000 {
            let shop = number.isMultiple(of: 500) ? town.open("Far", at: far) : town.shops.count - 1
            town.publish("Far", at: shop)
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let search = CampaignSearch(near: Near(center: Self.center), now: Town.now)
        let found = try news(search, after: town.campaigns[old].position, of: open)
        #expect(found.campaigns == [town.campaigns[first].id] && !found.hasMore)
        #expect(found.looks <= SearchLimits.looksMax)
        // Without a place, nobody can look at all of them.
        var rare = CampaignSearch(now: Town.now)
        rare.kind = .promotion
        let cut = try news(rare, after: 0, of: open)
        #expect(cut.campaigns.isEmpty && cut.hasMore && cut.looks == SearchLimits.looksPerWalk)
        #expect(try news(search, after: UInt64(town.facts.count), of: open).campaigns.isEmpty)
        try open.close()
    }

    @Test("Fifty searches around the poles, and across the antimeridian, are searches like others")
    func poles() async throws {
        var town = Town()
        let corners = [(90.0, 0.0), (-90, 77), (89.999, 180), (0, 180), (0, -180), (-89.9, -179.9)]
        for (latitude, longitude) in corners {
            town.publish("Ice", at: town.open("Pole", at: Coordinate(latitude: latitude, longitude: longitude)))
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        for number in 0..<50 {
            let (latitude, longitude) = corners[number % corners.count]
            let near = Near(center: Coordinate(latitude: latitude, longitude: longitude), radiusMeters: 100_000)
            let found = try news(CampaignSearch(near: near, now: Town.now), after: 0, of: open)
            #expect(found.campaigns.contains(town.campaigns[number % corners.count].id) && found.looks <= SearchLimits.looksMax)
        }
        try open.close()
    }
}
