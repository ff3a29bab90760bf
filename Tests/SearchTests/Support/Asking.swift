import Histories
import Loyalty
import Search
import Seeds
import Testing

/// Sends random queries to the model and to plain lists, and compares the answers.
struct Asking {
    let town: Town
    let open: OpenDiscovery
    var random: SeededRandom
    private let places: PlainGeography
    private let shopWords: [PlainWords]
    private let campaignWords: [PlainWords]
    /// The texts from which queries are cut.
    private let vocabulary: [String]

    init(_ town: Town, _ open: OpenDiscovery, _ random: SeededRandom) {
        (self.town, self.open, self.random) = (town, open, random)
        places = PlainGeography(town.shops.map(\.place))
        shopWords = town.shops.map { PlainWords($0.name, $0.address) }
        campaignWords = town.campaigns.map { PlainWords($0.title, town.shops[$0.shop].name, town.shops[$0.shop].address) }
        vocabulary = Set(town.shops.map(\.name) + town.campaigns.map(\.title)).sorted()
    }

    /// Searches for shops around a random place, and compares their ids, distances and order with the expected ones.
    mutating func shopsNearby() async throws {
        let near = place()
        let text = Int.random(in: 0..<4, using: &random) == 0 ? typed() : nil
        let limit = Int.random(in: 1...100, using: &random)
        let page = try open.some(ShopSearch(near: near, text: text), limit: limit)
        let words = text.map(PlainWords.query)
        let expected = places.within(near.radiusMeters, of: near.center).filter { words == nil || shopWords[$0.key].contains(words!) }
        try compare(page, expected, limit: limit, "shops near \(near) \(text ?? "")") { town.shops[$0].id }
    }

    /// Searches for campaigns around a random place, and compares them with the expected ones. Some searches filter by kind, by text, or by
    /// whether the campaign runs.
    mutating func campaignsNearby() async throws {
        let near = place()
        var search = CampaignSearch(near: near, now: Town.now, sort: .distance)
        search.kind = [nil, .stampCard, .promotion].randomElement(using: &random)!
        search.isRunning = [nil, true, false].randomElement(using: &random)!
        if Int.random(in: 0..<4, using: &random) == 0 { search.text = typed() }
        let limit = Int.random(in: 1...100, using: &random)
        let page = try open.some(search, limit: limit)
        let inReach = places.within(near.radiusMeters, of: near.center)
        let expected = Dictionary(
            uniqueKeysWithValues: matching(search).compactMap { index in inReach[town.campaigns[index].shop].map { (index, $0) } })
        try compare(page, expected, limit: limit, "campaigns \(search)") { town.campaigns[$0].id }
    }

    /// Searches for shops with a random text, and compares the ids with the expected ones, newest shop first.
    mutating func shopsByText() async throws {
        let text = typed()
        let page = try open.some(ShopSearch(text: text), limit: 100)
        let words = PlainWords.query(text)
        let expected = town.shops.indices.reversed().filter { shopWords[$0].contains(words) }.map { town.shops[$0].id }
        #expect(page.items.map(\.id) == Array(expected.prefix(100)), "\(text)")
        expectEnd(page, expected.count, limit: 100, text)
    }

    /// Searches for campaigns with a random text, sorted by age or by popularity, and compares the ids with the expected ones.
    mutating func campaignsByText() async throws {
        var search = CampaignSearch(text: typed(), now: Town.now, sort: Bool.random(using: &random) ? .newest : .popular)
        search.isRunning = [nil, true, false].randomElement(using: &random)!
        if Int.random(in: 0..<8, using: &random) == 0 { search.text = nil }
        if Int.random(in: 0..<8, using: &random) == 0 { search.shop = town.shops.randomElement(using: &random)!.id }
        let page = try open.some(search, limit: 100)
        let expected = matching(search).sorted { left, right in
            let (left, right) = (town.campaigns[left], town.campaigns[right])
            guard search.sort == .popular, left.keepers.count != right.keepers.count else { return left.position > right.position }
            return left.keepers.count > right.keepers.count
        }
        #expect(page.items.map(\.id) == expected.prefix(100).map { town.campaigns[$0].id }, "\(search)")
        expectEnd(page, expected.count, limit: 100, "\(search)")
    }

    /// Looks up the newest campaigns, among those that have not ended, of some random shops, and compares them with the expected ones.
    mutating func openCampaigns() async throws {
        let asked = (0..<Int.random(in: 1...20, using: &random)).map { _ in town.shops.indices.randomElement(using: &random)! }
        let now = Town.now.advanced(bySeconds: Int64.random(in: -4_000...4_000, using: &random))
        let limit = Int.random(in: 1...3, using: &random)
        let open = try open.discovery.openCampaigns(of: asked.map { town.shops[$0].id }, at: now, limit: limit)
        for shop in asked {
            let expected = town.campaigns.reversed().filter { $0.shop == shop && !$0.isEnded && $0.endsAt > now }.prefix(limit).map(\.id)
            #expect(open[town.shops[shop].id] ?? [] == expected, "\(shop) at \(now), \(limit) at most")
        }
        #expect(open.count <= Set(asked).count && open.values.allSatisfy { !$0.isEmpty })
    }

    private func matching(_ search: CampaignSearch) -> [Int] {
        let words = search.text.map(PlainWords.query)
        return town.campaigns.indices.filter { index in
            let campaign = town.campaigns[index]
            let isRunning = !campaign.isEnded && campaign.startsAt <= Town.now && Town.now < campaign.endsAt
            return (search.kind ?? campaign.kind) == campaign.kind && (search.isRunning ?? isRunning) == isRunning
                && (search.shop ?? town.shops[campaign.shop].id) == town.shops[campaign.shop].id
                && (words == nil || campaignWords[index].contains(words!))
        }
    }

    /// Compares distances to the millimetre. A place exactly on the search circle may be found or not. Places at equal distances may come
    /// in any order.
    private func compare<Noun>(
        _ page: FoundPage<Noun>, _ expected: [Int: Double], limit: Int, _ what: @autoclosure () -> String, _ id: (Int) -> ID<Noun>
    ) throws {
        let distances = Dictionary(uniqueKeysWithValues: expected.map { (id($0.key), $0.value * 1_000) })
        #expect(page.items.count == min(limit, expected.count), "\(what())")
        #expect(Set(page.items.map(\.id)).count == page.items.count, "\(what())")
        for (item, right) in zip(page.items, distances.values.sorted()) {
            let shown = try Double(#require(item.distanceMillimeters))
            #expect(abs(shown - right) <= 1 && abs(shown - (distances[item.id] ?? .infinity)) <= 1, "\(item) in \(what())")
        }
        expectEnd(page, expected.count, limit: limit, what())
    }

    /// Expects a further page if the list has more items than requested, and no further page if this page has fewer items than requested.
    private func expectEnd<Noun>(_ page: FoundPage<Noun>, _ count: Int, limit: Int, _ what: @autoclosure () -> String) {
        #expect(count <= limit || page.next != nil, "\(what())")
        #expect(page.items.count == limit || page.next == nil, "\(what())")
    }

    private mutating func place() -> Near {
        let center = PlaceTests.around(town.shops.randomElement(using: &random)!.place, meters: 20_000, &random)
        // The exponent of the radius is random, so that small and large circles are equally frequent.
        return Near(center: center, radiusMeters: exp2(Double.random(in: 3...16.7, using: &random)))
    }

    /// Returns one or two fragments of existing texts, cut anywhere.
    private mutating func typed() -> String {
        (0..<Int.random(in: 1...2, using: &random)).map { _ in
            let text = Array(vocabulary.randomElement(using: &random)!)
            let start = Bool.random(using: &random) ? 0 : Int.random(in: 0..<text.count, using: &random)
            return String(text[start..<min(text.count, start + Int.random(in: 1...6, using: &random))])
        }.joined(separator: " ")
    }

    private func exp2(_ power: Double) -> Double {
        (0..<Int(power)).reduce(1.0 + power - power.rounded(.down)) { product, _ in product * 2 }
    }
}
