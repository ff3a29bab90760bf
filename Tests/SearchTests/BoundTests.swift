import EventLog
import Foundation
import GRDB
import Histories
import Loyalty
import ReadModels
import Seeds
import Testing

@testable import Search

/// No query examines more rows than its limit, and no item is missing because of the limit.
@Suite(.timeLimit(.minutes(15))) struct BoundTests {
    private static let center = Coordinate(latitude: 31.23, longitude: 121.47)

    @Test("A repeated part of a query is compared with each row only once")
    func repeatedParts() {
        #expect(TextQuery("tea Tea TÉA tea").parts == [.prefix("tea")])
        #expect(TextQuery(String(repeating: "a ", count: 50)).parts.count == 1)
        #expect(TextQuery("奶茶 tea 奶茶").parts.count == 2)
    }

    /// A city with more campaigns than one walk of a search may visit. Only a few of them are promotions.
    private static func city(_ random: inout SeededRandom, shops: Int = 2_600) -> Town {
        var town = Town()
        for _ in 0..<shops {
            let shop = town.open("奶茶 Tea", at: PlaceTests.around(center, meters: 30_000, &random))
            for _ in 0..<2 {
                town.publish("Ten cups", at: shop, kind: Int.random(in: 0..<300, using: &random) == 0 ? .promotion : .stampCard)
            }
        }
        return town
    }

    private func pages(
        _ search: CampaignSearch, of open: OpenDiscovery, limit: Int = 20
    ) throws -> (found: [CampaignID], looks: [Int], sizes: [Int]) {
        var (found, looks, sizes, cursor): ([CampaignID], [Int], [Int], DiscoveryCursor?) = ([], [], [], nil)
        repeat {
            let page = try open.discovery.campaigns(search, after: cursor, limit: limit)
            found += page.items.map(\.id)
            looks.append(page.looks)
            sizes.append(page.items.count)
            cursor = page.next.map { DiscoveryCursor(packed: $0.packed) }
            try #require(looks.count < 60, "the list ends after a bounded number of pages")
        } while cursor != nil
        return (found, looks, sizes)
    }

    @Test("A search with a narrow filter examines a bounded number of rows per page and still finds everything")
    func narrowFilters() async throws {
        var random = SeededRandom.announced("narrow filters")
        var town = Self.city(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        #expect(town.campaigns.count > SearchLimits.looksPerWalk)
        let expected = town.campaigns.filter { $0.kind == .promotion }
        let near = Near(center: Self.center, radiusMeters: 100_000)
        let orders: [(DiscoverySort, Near?)] = [
            (.newest, nil), (.popular, nil), (.rating, nil), (.newest, near), (.popular, near), (.rating, near), (.distance, near),
        ]
        for (sort, near) in orders {
            var search = CampaignSearch(near: near, now: Town.now, sort: sort)
            search.kind = .promotion
            let all = try pages(search, of: open)
            #expect(all.looks.allSatisfy { $0 <= SearchLimits.looksMax }, "\(sort): \(all.looks)")
            #expect(all.looks.reduce(0, +) > SearchLimits.looksPerWalk, "the search counts the rows that it visits")
            #expect(Set(all.found) == Set(expected.map(\.id)) && all.found.count == expected.count, "\(sort)")
            #expect(all.sizes.dropLast().contains { $0 < 20 }, "a page may end early although the list continues")
            if sort == .newest { #expect(all.found == expected.reversed().map(\.id)) }
        }
        let distances = try await open.all(CampaignSearch(near: near, now: Town.now, sort: .distance)).compactMap(\.distanceMillimeters)
        #expect(distances.count == town.campaigns.count && distances == distances.sorted())
        try open.close()
    }

    @Test("Too many campaigns at one place make a short page, not a long search")
    func oneSpot() async throws {
        var town = Town()
        for _ in 0..<6 {
            let shop = town.open("Tea", at: Self.center)
            for _ in 0..<1_000 { town.publish("Ten cups", at: shop) }
        }
        let away = town.open("Tea", at: Coordinate(latitude: Self.center.latitude + 0.01, longitude: Self.center.longitude))
        let campaign = town.publish("Ten cups", at: away, kind: .promotion)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(near: Near(center: Self.center), now: Town.now, sort: .distance)
        search.kind = .promotion
        let all = try pages(search, of: open)
        #expect(all.looks.allSatisfy { $0 <= SearchLimits.looksMax } && all.found == [town.campaigns[campaign].id])
        try open.close()
    }

    /// Returns the place this many metres north of the centre.
    private static func north(_ meters: Double) -> Coordinate {
        Coordinate(latitude: center.latitude + GreatCircle.degrees(meters / GreatCircle.radiusMeters), longitude: center.longitude)
    }

    /// Returns a town with more campaigns at one place than one walk of a search may visit. None of them is a promotion.
    private static func crowd(at place: Coordinate) -> Town {
        var town = Town()
        for _ in 0..<5 {
            let shop = town.open("Tea", at: place)
            for _ in 0..<1_000 { town.publish("Ten cups", at: shop) }
        }
        return town
    }

    /// The boxes of a ring also contain places outside the ring. So the crowd, a kilometre away, is in the boxes of all rings that begin up
    /// to half a kilometre behind it.
    @Test("Too many campaigns at a place away from the centre hide no item farther away, and a list passes them within a few pages")
    func crowdAway() async throws {
        var town = Self.crowd(at: Self.north(1_000))
        let (behind, opposite, outside) = (
            town.open("Tea", at: Self.north(1_005)), town.open("Tea", at: Self.north(-1_200)), town.open("Tea", at: Self.north(50_000))
        )
        let branch = town.open("Tea", at: Self.north(-1_400))
        let expected = [
            town.publish("Behind", at: behind, kind: .promotion), town.publish("Opposite", at: opposite, kind: .promotion),
            town.publish("Shared", at: outside, kind: .promotion, others: [branch]),
        ].map { town.campaigns[$0].id }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(near: Near(center: Self.center), now: Town.now, sort: .distance)
        search.kind = .promotion
        let all = try pages(search, of: open)
        #expect(all.found == expected && all.looks.count <= 20 && all.looks.allSatisfy { $0 <= SearchLimits.looksMax })
        try open.close()
    }

    /// The boxes of a thin ring contain thousands of places outside the ring.
    @Test("In a city of ten thousand shops, a list by distance has every promotion, within a few pages")
    func wholeCity() async throws {
        var town = Town()
        var promotions: [Int] = []
        for number in 0..<10_000 {
            // The places are spread evenly over a circle, like the seeds of a sunflower, each farther from the centre than the one before.
            let (meters, angle) = (4_950 * (Double(number) / 10_000).squareRoot(), 2.399_963 * Double(number))
            let parallel = GreatCircle.radiusMeters * cos(GreatCircle.radians(Self.center.latitude))
            let east = GreatCircle.degrees(meters * sin(angle) / parallel)
            let latitude = Self.north(meters * cos(angle)).latitude
            let shop = town.open("Tea", at: Coordinate(latitude: latitude, longitude: Self.center.longitude + east))
            if number.isMultiple(of: 100) { promotions.append(town.publish("Ten cups", at: shop, kind: .promotion)) }
        }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(near: Near(center: Self.center), now: Town.now, sort: .distance)
        search.kind = .promotion
        let all = try pages(search, of: open)
        let expected = promotions.map { town.campaigns[$0].id }
        #expect(all.found == expected && all.looks.count <= 20 && all.looks.allSatisfy { $0 <= SearchLimits.looksMax })
        try open.close()
    }

    @Test("A list by distance ends at the search radius, even if too many campaigns are at the radius")
    func crowdAtTheRadius() async throws {
        var town = Self.crowd(at: Self.north(18))
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(near: Near(center: Self.center, radiusMeters: 20), now: Town.now, sort: .distance)
        search.kind = .promotion
        #expect(try pages(search, of: open).found.isEmpty)
        try open.close()
    }

    /// The rows within 300 metres exceed a walk, so the search narrows its circle to a ninth. The first page ends 33.333… metres away.
    @Test("An item in the last millimetre before the end of a page is shown on the next page")
    func lastMillimetre() async throws {
        var town = Self.crowd(at: Self.north(60))
        let shop = town.open("Tea", at: Self.north(33.334))
        let campaign = town.publish("Ten cups", at: shop, kind: .promotion)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var search = CampaignSearch(near: Near(center: Self.center), now: Town.now, sort: .distance)
        search.kind = .promotion
        let first = try open.discovery.campaigns(search, limit: 20)
        let second = try open.discovery.campaigns(search, after: first.next, limit: 20)
        #expect(first.items.isEmpty && second.items.map(\.id) == [town.campaigns[campaign].id])
        try open.close()
    }

    @Test("An old cursor by popularity costs no more than a new one, and the list ends")
    func oldCursors() async throws {
        var random = SeededRandom.announced("old cursors")
        var town = Self.city(&random, shops: 40)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let search = CampaignSearch(now: Town.now, sort: .popular)
        let first = try open.discovery.campaigns(search, limit: 20)
        for number in 0...SearchLimits.changesMax { town.toggle(number % 10, by: AccountID(UInt128(number / 10 + 1))) }
        try await open.append(town.news())
        let second = try open.discovery.campaigns(search, after: first.next, limit: 20)
        #expect(second.looks <= SearchLimits.looksPerWalk && second.items.count == 20)
        #expect(try #require(second.next).seen == open.log.head.rawValue, "the list continues in its present order")
        try open.close()
    }

    @Test("Renaming a shop does not rewrite its ended campaigns")
    func rename() async throws {
        var town = Town()
        let shop = town.open("Old", at: Self.center)
        for number in 0..<300 { town.publish("Ten cups", at: shop, seconds: number.isMultiple(of: 10) ? 3_600 : 30) }
        town.end(0)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let (n, now) = (Int64(town.shops[shop].position), Town.now)
        let written = try await open.discovery.file.pool.write { db in
            try db.rename(n, name: "New", address: "", ofCampaignsEndingAfter: now)
        }
        #expect(written == 29)
        #expect(try await open.all(CampaignSearch(text: "new", now: Town.now)).count == 29)
        #expect(try await open.all(CampaignSearch(text: "old", now: Town.now)).count == 271)
        try open.close()
    }

    @Test("Only the last places of a moving shop are kept")
    func moves() async throws {
        var town = Town()
        let shop = town.open("Tea", at: Self.center)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let n = Int64(town.shops[shop].position)
        let counts = try await open.discovery.file.pool.write { db in
            for step in 1...50 {
                try db.put(Coordinate(latitude: 10, longitude: Double(step)), of: n, at: UInt64(100 + step))
            }
            return try ["places", "boxes"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") }
        }
        #expect(counts == [SearchLimits.placesPerShop, SearchLimits.placesPerShop])
        try open.close()
    }

    @Test("The favourites of a campaign at a position follow from the later changes")
    func favoriteCounts() async throws {
        var random = SeededRandom.announced("favourite counts")
        var town = Self.city(&random, shops: 2)
        for _ in 0..<200 { town.toggle(0, by: AccountID(UInt128(Int.random(in: 1...20, using: &random)))) }
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var kept = 0
        for fact in town.facts {
            switch fact.event {
            case .favoriteAdded: kept += 1
            case .favoriteRemoved: kept -= 1
            default: break
            }
            guard fact.position > town.campaigns[0].position else { continue }
            let count = try open.discovery.favoriteCount(of: town.campaigns[0].id, through: Position(fact.position))
            #expect(count == CountedFavorites(favorites: kept, through: Position(fact.position)), "at \(fact.position)")
        }
        let ahead = Position(open.log.head.rawValue + 1)
        let known = try open.discovery.favoriteCount(of: town.campaigns[0].id, through: ahead)
        #expect(known == CountedFavorites(favorites: kept, through: open.log.head))
        #expect(try open.discovery.favoriteCount(of: CampaignID(1), through: ahead) == nil)
        try open.close()
    }
}
