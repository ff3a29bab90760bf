import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Search

/// A search finds a campaign at each shop that shares it, as long as the shop shares it. A list has the campaign only once.
@Suite("Shared campaigns in searches", .timeLimit(.minutes(15)))
struct SharedCampaignSearchTests {
    private static let center = Coordinate(latitude: 31.23, longitude: 121.47)
    private static func east(_ meters: Double) -> Coordinate {
        Coordinate(latitude: center.latitude, longitude: center.longitude + meters / 95_150)
    }

    /// A shop at the center, its branch ten kilometres away, and a campaign of the shop at the center.
    private struct Pair {
        var town = Town()
        let home, branch, campaign: Int

        init() {
            home = town.open("Tea", at: SharedCampaignSearchTests.center)
            branch = town.open("Tea 2", at: SharedCampaignSearchTests.east(10_000))
            campaign = town.publish("Ten cups", at: home, others: [branch])
        }

        func search(at shop: Int? = nil, near place: Coordinate? = nil, meters: Double = 3_000, sort: DiscoverySort = .newest)
            -> CampaignSearch
        {
            CampaignSearch(
                near: place.map { Near(center: $0, radiusMeters: meters) }, shop: shop.map { town.shops[$0].id }, now: Town.now, sort: sort)
        }
    }

    @Test("A campaign is listed at each of its shops, and near each of them")
    func listed() async throws {
        var pair = Pair()
        let open = try OpenDiscovery()
        try await open.append(pair.town.news())
        let id = pair.town.campaigns[pair.campaign].id
        for shop in [pair.home, pair.branch] {
            #expect(try await open.all(pair.search(at: shop)).map(\.id) == [id])
        }
        for sort in DiscoverySort.allCases {
            let found = try await open.all(pair.search(near: Self.east(9_000), sort: sort))
            #expect(found.map(\.id) == [id], "\(sort)")
            #expect(found.first?.distanceMillimeters.map { abs($0 - 1_000_000) < 5_000 } == true, "the branch is the nearest: \(found)")
        }
        #expect(try await open.all(pair.search(near: Self.east(20_000), meters: 5_000)).isEmpty)
        let shared = try open.discovery.campaigns(sharedWith: pair.town.shops[pair.branch].id, at: Town.now, limit: 10)
        #expect(shared == [id])
        #expect(try open.discovery.campaigns(sharedWith: pair.town.shops[pair.home].id, at: Town.now, limit: 10).isEmpty, "its own shop")
        try open.close()
    }

    @Test("A campaign near both of its shops is one item, at the distance of the nearer shop, on the page where that distance belongs")
    func once() async throws {
        var pair = Pair()
        // The distances of the other campaigns are between those of the two shops that share the campaign. So these two shops belong on
        // different pages.
        for number in 1...20 { pair.town.publish("Others", at: pair.town.open("Tea", at: Self.east(Double(number) * 300))) }
        let open = try OpenDiscovery()
        try await open.append(pair.town.news())
        let id = pair.town.campaigns[pair.campaign].id
        let far = Self.east(12_000)
        for (limit, sort) in [(3, DiscoverySort.distance), (100, .distance), (3, .newest), (3, .popular)] {
            let found = try await open.all(pair.search(near: far, meters: 50_000, sort: sort), limit: limit)
            #expect(found.map(\.id).count { $0 == id } == 1 && found.count == 21, "\(limit) \(sort): \(found.count)")
            #expect(found.first { $0.id == id }?.distanceMillimeters.map { abs($0 - 2_000_000) < 5_000 } == true)
            if sort == .distance { #expect(found.first?.id == id) }
        }
        try open.close()
    }

    @Test("A shop that is suspended, closed, sold or left out no longer shares the campaign, and shares it again when that is over")
    func over() async throws {
        let ends: [(String, (inout Pair) -> Void)] = [
            ("suspended", { $0.town.suspend($0.branch) }), ("closed", { $0.town.close($0.branch) }),
            ("sold", { $0.town.sell($0.branch, to: AccountID(77)) }), ("the other sold", { $0.town.sell($0.home, to: AccountID(77)) }),
            ("left out", { $0.town.share($0.campaign, with: []) }),
        ]
        for (what, end) in ends {
            var pair = Pair()
            end(&pair)
            let open = try OpenDiscovery()
            try await open.append(pair.town.news())
            try await expect(pair, open, isShared: false, what)
            try open.close()
        }
        let returns: [(String, (inout Pair) -> Void)] = [
            (
                "reinstated",
                {
                    $0.town.suspend($0.branch)
                    $0.town.reinstate($0.branch)
                }
            ),
            (
                "both sold",
                {
                    $0.town.sell($0.branch, to: AccountID(77))
                    $0.town.sell($0.home, to: AccountID(77))
                }
            ),
            (
                "named again",
                {
                    $0.town.share($0.campaign, with: [])
                    $0.town.share($0.campaign, with: [$0.branch])
                }
            ),
        ]
        for (what, change) in returns {
            var pair = Pair()
            change(&pair)
            let open = try OpenDiscovery()
            try await open.append(pair.town.news())
            try await expect(pair, open, isShared: true, what)
            try open.close()
        }
    }

    private func expect(_ pair: Pair, _ open: OpenDiscovery, isShared: Bool, _ what: String) async throws {
        let count = isShared ? 1 : 0
        #expect(try await open.all(pair.search(at: pair.branch)).count == count, "\(what)")
        #expect(try await open.all(pair.search(near: Self.east(9_000))).count == count, "\(what)")
        let shared = try open.discovery.campaigns(sharedWith: pair.town.shops[pair.branch].id, at: Town.now, limit: 10)
        #expect(shared.count == count, "\(what)")
        let ids = [pair.home, pair.branch].map { pair.town.shops[$0].id }
        let counts = try open.discovery.openCounts(of: ids, at: Town.now, limit: 10).counts
        #expect(ids.map { counts[$0] ?? 0 } == [1, count], "\(what): a list of shops counts it at each")
        #expect(try await open.all(pair.search(at: pair.home)).count == 1, "\(what): the campaign stays at its own shop")
    }

    @Test("However many campaigns shops share, a search reads a bounded number of rows")
    func bounded() async throws {
        var town = Town()
        let home = town.open("Tea", at: Self.center)
        let branches = (0..<20).map { town.open("Tea", at: Self.east(Double($0))) }
        for _ in 0..<1_000 { town.publish("Ten cups", at: home, kind: .stampCard, others: branches) }
        let last = town.publish("Ten cups", at: home, kind: .promotion)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        for sort in DiscoverySort.allCases {
            let search = CampaignSearch(near: Near(center: Self.center), now: Town.now, sort: sort)
            let page = try open.discovery.campaigns(search, limit: 20)
            #expect(page.looks <= SearchLimits.looksMax && page.looks > 20, "\(sort): \(page.looks)")
            if sort == .newest { #expect(page.items.first?.id == town.campaigns[last].id) }
        }
        let of = CampaignSearch(shop: town.shops[branches[3]].id, now: Town.now)
        #expect(try await open.all(of).count == 1_000)
        #expect(try open.discovery.campaigns(of).looks <= 2 * SearchLimits.looksPerWalk)
        try open.discovery.reading { db in
            let looks = Looks(max: SearchLimits.looksPerWalk)
            let found = try Discovery.campaigns(sharedWith: town.shops[branches[0]].id, at: Town.now, limit: 100, in: db, looks)
            #expect(found.count == 100 && looks.count == 100)
            let late = Looks(max: SearchLimits.looksPerWalk)
            let over = Town.now.advanced(bySeconds: 100_000)
            #expect(try Discovery.campaigns(sharedWith: town.shops[branches[0]].id, at: over, limit: 100, in: db, late).isEmpty)
            #expect(late.count == 1_000, "each ended campaign is visited once")
        }
        let ids = branches.map { town.shops[$0].id }
        let (counts, looks) = try open.discovery.openCounts(of: ids, at: Town.now, limit: 20)
        #expect(ids.allSatisfy { counts[$0] == 20 } && looks == 400)
        let late = try open.discovery.openCounts(of: ids, at: Town.now.advanced(bySeconds: 100_000), limit: 20)
        #expect(late.counts.isEmpty && late.looks == SearchLimits.looksPerWalk)
        try open.close()
    }
}
