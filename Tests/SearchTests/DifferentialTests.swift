import EventLog
import Histories
import Loyalty
import Search
import Seeds
import Testing

/// Compares the model's answers with full scans of plain lists.
@Suite(.timeLimit(.minutes(15))) struct DifferentialTests {
    /// Creates shops in city centres, at the poles and on both sides of the antimeridian, many at the same place.
    private static func madeUp(_ random: inout SeededRandom) -> Town {
        var town = Town()
        let (first, second) = (["好喝", "一点点", "Tea", "Café", "茶", "奶茶", "Coco", "古茗"], ["奶茶店", "house", "茶", "", "Zoë", "No. 7", "店"])
        for _ in 0..<1_500 {
            let center = PlaceTests.corners.randomElement(using: &random)!
            let meters = [1.0, 500, 20_000, 150_000].randomElement(using: &random)!
            let place = PlaceTests.around(center, meters: meters, &random)
            let shop = town.open("\(first.randomElement(using: &random)!) \(second.randomElement(using: &random)!)", at: place)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let campaign = town.publish(
                    "\(second.randomElement(using: &random)!) 十杯送一", at: shop, kind: Bool.random(using: &random) ? .stampCard : .promotion,
                    startsIn: Int64.random(in: -4_000...1_000, using: &random))
                if Int.random(in: 0..<10, using: &random) == 0 { town.end(campaign) }
            }
        }
        for _ in 0..<3_000 {
            town.toggle(
                Int.random(in: 0..<town.campaigns.count, using: &random), by: AccountID(UInt128(Int.random(in: 1...20, using: &random))))
        }
        return town
    }

    @Test("2,500 random queries about a made-up world match full scans")
    func madeUpWorld() async throws {
        var random = SeededRandom.announced("made-up world")
        var town = Self.madeUp(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        var asking = Asking(town, open, random)
        for _ in 0..<500 {
            try await asking.shopsNearby()
            try await asking.campaignsNearby()
            try await asking.shopsByText()
            try await asking.campaignsByText()
            try await asking.openCampaigns()
        }
        try open.close()
    }

    @Test("10,000 random queries about real cafés match full scans", .enabled(if: CafeFile.isThere, "../shared/data is not there"))
    func cafes() async throws {
        var town = try CafeFile.town()
        let open = try OpenDiscovery()
        try await open.append(town.news())
        #expect(town.shops.count > 5_000)
        var asking = Asking(town, open, SeededRandom.announced("cafés"))
        for _ in 0..<4_000 {
            try await asking.shopsNearby()
            try await asking.shopsByText()
        }
        for _ in 0..<1_000 {
            try await asking.campaignsNearby()
            try await asking.campaignsByText()
        }
        try open.close()
    }

    @Test("A favourites list shows the kept campaigns in pages, newest first")
    func favorites() async throws {
        var random = SeededRandom.announced("favourites")
        var town = Self.madeUp(&random)
        let open = try OpenDiscovery()
        try await open.append(town.news())
        for account in (1...20).map({ AccountID(UInt128($0)) }) {
            let expected = town.facts.reversed().compactMap { fact -> CampaignID? in
                guard case .favoriteAdded(let event) = fact.event, event.account == account else { return nil }
                return event.campaign
            }
            let kept = Set(town.campaigns.filter { $0.keepers.contains(account) }.map(\.id))
            var (seen, found, before): (Set<CampaignID>, [CampaignID], Position?) = ([], [], nil)
            repeat {
                let page = try open.discovery.favorites(of: account, before: before, limit: 7)
                found += page.items
                before = page.next
            } while before != nil
            #expect(found == expected.filter { kept.contains($0) && seen.insert($0).inserted })
        }
        let standings = try open.discovery.standings(of: town.campaigns.map(\.id), for: AccountID(3))
        for campaign in town.campaigns {
            let expected = (campaign.keepers.count, campaign.keepers.contains(AccountID(3)))
            #expect(standings[campaign.id]?.favorites == expected.0 && standings[campaign.id]?.isFavorite == expected.1)
        }
        try open.close()
    }
}
