import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import Testing

@testable import TillImport

/// The customers of a real till, counted by the service from events, and here from the rows of the file.
@Suite(.timeLimit(.minutes(15))) struct CustomersTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized.path
    private static let coffee = URL(fileURLWithPath: root + "/../shared/data/coffee-visits.csv").standardized.path
    private static let goal = 5

    /// A customer's days in Shanghai, eight hours ahead, and cups.
    private struct Known {
        var days: Set<Int> = []
        var cups = 0

        func segments(on today: Int) -> Set<CustomerSegment> {
            // Full cards are redeemed at once.
            var segments: Set<CustomerSegment> = cups % goal > 0 && goal - cups % goal <= 2 ? [.nearlyFull] : []
            let (first, last) = (days.min() ?? 0, days.max() ?? 0)
            let twice = days.count < 2 ? 0 : Int((2 * Double(last - first) / Double(days.count - 1)).rounded(.up))
            if today - last >= min(365, max(21, twice)) {
                segments.insert(.lapsed)
            } else if today - first < 30 {
                segments.insert(.new)
            } else if days.count > 2 {
                segments.insert(.regular)
            }
            return segments
        }
    }

    @Test(
        "The segments of a real till's customers match those counted from the file, on each day",
        .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"))
    func realTill() async throws {
        let sandbox = try Sandbox()
        let lines = try String(contentsOfFile: Self.coffee, encoding: .utf8).split(separator: "\n").map(String.init).prefix(1_601)
        _ = try await sandbox.imports(lines.joined(separator: "\n"), goal: Self.goal, redeem: true)
        #expect(await sandbox.service.models.reached(sandbox.service.log.head, timeoutSeconds: 600))
        var known: [String: Known] = [:]
        for line in lines.dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            let time = try #require(Instant(rfc3339: String(fields[0])))
            // Rows without a customer are no visits of anybody.
            if fields[1].isEmpty { continue }
            known[String(fields[1]), default: Known()].days.insert(Int((time.microseconds / 1_000_000 + 28_800) / 86_400))
            known[String(fields[1]), default: Known()].cups += 1
        }
        let shop = try #require(
            try sandbox.facts().compactMap { fact -> ShopID? in
                guard case .shopOpened(let event) = fact.event else { return nil }
                return event.shop
            }.first)
        let model = sandbox.service.models.customers
        let first = try #require(known.values.compactMap { $0.days.min() }.min())
        var lapsed: Set<Int> = []
        for today in stride(from: first + 190, to: first + 260, by: 7) {
            let counts = try model.page(of: shop, CustomerList(), today: today).counts
            func expected(_ segment: CustomerSegment) -> Int { known.values.count { $0.segments(on: today).contains(segment) } }
            #expect(counts.all == known.count && counts.full == 0)
            #expect(counts.new == expected(.new) && counts.regular == expected(.regular) && counts.lapsed == expected(.lapsed))
            #expect(counts.nearlyFull == expected(.nearlyFull))
            lapsed.insert(counts.lapsed)
        }
        #expect(lapsed.count > 3)
        let visits = try model.page(of: shop, CustomerList(sort: .visits), today: first, limit: 1_000).customers.map(\.row.visits)
        #expect(visits == known.values.map(\.days.count).sorted(by: >).prefix(1_000).map { $0 })
    }
}
