import EventLog
import GRDB
import Histories
import Loyalty
import Projections
import ReadModels
import Seeds
import Testing

@testable import Search

/// Reads the pages of a list one after another while the items of the list change.
@Suite(.timeLimit(.minutes(15))) struct CursorTests {
    private static let center = Coordinate(latitude: 0, longitude: 179.99)

    private static func town(_ random: inout SeededRandom) -> Town {
        var town = Town()
        for _ in 0..<60 {
            let shop = town.open("奶茶 Tea", at: PlaceTests.around(center, meters: 30_000, &random))
            town.publish("Ten cups", at: shop)
        }
        for _ in 0..<200 {
            Self.keepOne(&town, &random)
            Self.rateOne(&town, &random)
        }
        return town
    }

    private static func keepOne(_ town: inout Town, _ random: inout SeededRandom) {
        town.toggle(
            Int.random(in: 0..<town.campaigns.count, using: &random), by: AccountID(UInt128(Int.random(in: 1...30, using: &random))))
    }

    private static func rateOne(_ town: inout Town, _ random: inout SeededRandom) {
        town.rate(
            Int.random(in: 0..<town.shops.count, using: &random), Int.random(in: 1...5, using: &random),
            by: AccountID(UInt128(Int.random(in: 1...4, using: &random))))
    }

    /// The searches under test, each read in pages of seven.
    static let searches: [(DiscoverySort, near: Bool, text: String?)] = [
        (.distance, true, nil), (.distance, true, "奶茶"), (.newest, false, nil), (.newest, true, nil), (.newest, false, "tea"),
        (.popular, false, nil), (.popular, true, nil), (.popular, false, "tea"), (.rating, false, nil), (.rating, true, nil),
        (.rating, false, "tea"),
    ]

    @Test("Each item is shown once, whatever changes between two pages", arguments: searches.indices)
    func eachOnce(_ index: Int) async throws {
        var random = SeededRandom.announced("cursors \(index)")
        var town = Self.town(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let (sort, isNear, text) = Self.searches[index]
        let near = isNear ? Near(center: Self.center, radiusMeters: 100_000) : nil
        let search = CampaignSearch(near: near, text: text, now: Town.now, sort: sort)
        let expected = try await open.all(search)
        #expect(expected.count == 60)
        var (found, cursor): ([CampaignID], DiscoveryCursor?) = ([], nil)
        repeat {
            let page = try open.discovery.campaigns(search, after: cursor, limit: 7)
            found += page.items.map(\.id)
            cursor = page.next.map { DiscoveryCursor(packed: $0.packed) }
            for _ in 0..<40 {
                Self.keepOne(&town, &random)
                Self.rateOne(&town, &random)
            }
            town.publish("A new one", at: 0)
            try await open.append(town.news())
        } while cursor != nil
        #expect(found == expected.map(\.id), "the items have the order that they had at the first page")
        try open.close()
    }

    @Test("A list shows a moved shop at its old place, and a new list shows it at its new one")
    func moving() async throws {
        var random = SeededRandom.announced("moving")
        var town = Self.town(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let search = ShopSearch(near: Near(center: Self.center, radiusMeters: 100_000))
        let expected = try await open.all(search)
        let first = try open.discovery.shops(search, limit: 20)
        let shops = town.shops
        try await open.discovery.file.pool.write { db in
            for (index, shop) in shops.enumerated() {
                let there = Coordinate(latitude: Double(index) / 1_000, longitude: -179.9)
                try db.put(there, of: Int64(shop.position), at: UInt64(10_000 + index))
            }
            try db.put(ModelMark(position: Position(20_000), fingerprint: 0))
        }
        var (found, cursor) = (first.items, first.next)
        while let after = cursor {
            let page = try open.discovery.shops(search, after: after, limit: 20)
            found += page.items
            cursor = page.next
        }
        #expect(found == expected)
        #expect(try await open.all(search).map(\.id) == town.shops.map(\.id), "each shop is a little farther north than the one before")
        try open.close()
    }

    @Test("Hidden items are in no list, and renamed items are found only by their new names")
    func changes() async throws {
        var random = SeededRandom.announced("changes")
        var town = Self.town(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        let (hidden, renamed) = (town.shops[3], town.shops[4])
        let rewritten = town.campaigns[5]
        try await open.discovery.file.pool.write { db in
            try db.hide(Int64(hidden.position), true)
            try db.rename(Int64(renamed.position), name: "古茗", address: "", ofCampaignsEndingAfter: Town.now)
            let later = Town.now.advanced(bySeconds: 60)
            try db.rewrite(
                Int64(rewritten.position), CampaignTexts(title: "Twelve cups", details: "Hot ones", reward: ""), from: later,
                to: later.advanced(bySeconds: 60))
        }
        #expect(try await open.all(ShopSearch()).count == 59)
        #expect(try await open.all(CampaignSearch(now: Town.now, sort: .popular)).count == 59)
        #expect(try await open.all(CampaignSearch(text: "奶茶", now: Town.now)).count == 58)
        #expect(try await open.all(ShopSearch(text: "古茗")).map(\.id) == [renamed.id])
        #expect(try await open.all(CampaignSearch(text: "ten 古茗", now: Town.now)).count == 1)
        #expect(try await open.all(CampaignSearch(text: "twelve hot", now: Town.now)).map(\.id) == [rewritten.id])
        #expect(try await open.all(CampaignSearch(text: "ten 奶茶", now: Town.now)).count == 57)
        #expect(try await open.all(CampaignSearch(isRunning: false, now: Town.now)).map(\.id) == [rewritten.id])
        try await open.discovery.file.pool.write { try $0.hide(Int64(hidden.position), false) }
        #expect(try await open.all(ShopSearch()).count == 60)
        try open.close()
    }

    @Test("A packed cursor unpacks to the same cursor")
    func packed() {
        var random = SeededRandom.announced("packed")
        for _ in 0..<1_000 {
            let cursor = DiscoveryCursor(
                key: UInt32.random(in: 0...UInt32.max, using: &random), number: UInt64.random(in: 0..<1 << 48, using: &random),
                seen: UInt64.random(in: 0..<1 << 48, using: &random))
            #expect(DiscoveryCursor(packed: cursor.packed) == cursor)
        }
    }
}
