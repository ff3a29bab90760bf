import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// Measures searches among many shops: the median, and the time that 99 % did not exceed.
///
/// Half of the shops are in a fifth of the two hundred towns. Each search by distance is around a shop.
struct SearchBench {
    private static let towns = 200
    private static let searches = 2_000
    private static let pageItems = 20
    private static let batchEvents = 1_024
    private static let now = Instant(microseconds: 1_700_000_000_000_000)

    /// Numbers of shops to measure.
    let shops: [Int]
    let folder: String

    func run(into report: inout Report) async throws {
        for count in shops { try await measure(count, DataFolder("\(folder)/search-\(count)"), &report) }
    }

    private func measure(_ count: Int, _ data: DataFolder, _ report: inout Report) async throws {
        let log = try data.log(.readWrite)
        try fill(log, count)
        let discovery = try Discovery(directory: data.models, log: log)
        let name = "search among \(count) shops: "
        let models = try ReadModels(directory: data.models, log: log, others: [discovery.waiting(for: log)])
        let seconds = try await seconds {
            guard await models.reached(log.head, timeoutSeconds: 3_600) else { throw BenchError.unexpected }
        }
        report.add(name + "built from the log", "shops/s", [Double(count) / seconds])
        try await ask(discovery, count, name, &report)
        try models.close()
        try log.close()
    }

    private func ask(_ discovery: Discovery, _ count: Int, _ name: String, _ report: inout Report) async throws {
        func time(_ what: String, _ body: (Int) async throws -> Int) async throws {
            var (micros, found): ([Double], Int) = ([], 0)
            for number in 0..<Self.searches {
                micros.append(try await seconds { found += try await body(number) } * 1e6)
            }
            guard found > 0 else { throw BenchError.unexpected }
            micros.sort()
            report.add(name + what + ", median", "µs", [micros.percentile(0.5)])
            report.add(name + what + ", p99", "µs", [micros.percentile(0.99)])
        }
        func near(_ number: Int, _ meters: Double) -> Near { Near(center: place(number * 7, of: count), radiusMeters: meters) }
        func campaigns(_ near: Near?, _ text: String?, _ sort: DiscoverySort) async throws -> Int {
            let search = CampaignSearch(near: near, text: text, isRunning: true, now: Self.now, sort: sort)
            return try discovery.campaigns(search, limit: Self.pageItems).items.count
        }
        try await time("shops within 5 km") { number in
            try discovery.shops(ShopSearch(near: near(number, 5_000)), limit: Self.pageItems).items.count
        }
        try await time("campaigns within 100 km") { try await campaigns(near($0, 100_000), nil, .distance) }
        try await time("奶茶 within 5 km") { try await campaigns(near($0, 5_000), "奶茶", .distance) }
        try await time("a name, newest first") { try await campaigns(nil, "Tea \($0 % count)", .newest) }
        try await time("奶茶, most kept first") { _ in try await campaigns(nil, "奶茶", .popular) }
    }

    private func fill(_ log: EventLog, _ count: Int) throws {
        let appender = try log.appender()
        for number in 0..<count {
            let shop = ShopID(scattered(UInt64(number), 21))
            let campaign = CampaignID(scattered(UInt64(number), 22))
            let owner = AccountID(scattered(UInt64(number), 23))
            let opened = ShopOpened(
                shop: shop, owner: owner, name: number % 3 == 0 ? "好喝奶茶店 \(number)" : "Tea \(number)", phone: "010",
                address: "\(number % Self.towns) 号 Tea Road", location: place(number, of: count))
            let published = CampaignPublished(
                campaign: campaign, shop: shop, kind: .stampCard,
                terms: CampaignTerms(
                    title: "十杯送一", details: "Any drink counts.", goal: 10, reward: "A cup", startsAt: Self.now,
                    endsAt: Self.now.advanced(bySeconds: 86_400)))
            for event in [.shopOpened(opened), .campaignPublished(published)] as [LoyaltyEvent] {
                _ = try appender.stage(LoyaltyCodec.encode(event, by: owner, at: Self.now, mark: nil))
            }
            if number % Self.batchEvents == 0 { try appender.commit() }
        }
        try appender.commit()
    }

    /// Denser near the centre of a town. The towns are spread over a thousand kilometres.
    private func place(_ number: Int, of count: Int) -> Coordinate {
        func chance(_ number: Int, _ purpose: UInt64) -> Double {
            Double(UInt64(truncatingIfNeeded: scattered(UInt64(number), purpose) >> 75)) / Double(1 << 53)
        }
        // The product of two uniform numbers is below a fifth in half of all cases.
        let town = Int(chance(number % count, 24) * chance(number % count, 25) * Double(Self.towns))
        let reach = 0.1 * chance(number % count, 26)
        let angle = 2 * .pi * chance(number % count, 27)
        return Coordinate(
            latitude: 28 + 8 * chance(town, 28) + reach * sin(angle), longitude: 108 + 10 * chance(town, 29) + reach * cos(angle))
    }
}
