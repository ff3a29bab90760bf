import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

@testable import Audit
@testable import PastStates
@testable import Projections
@testable import ReadModels

/// Statistics of shops that share a campaign: whether a stamp fills a card depends on stamps at the other shop.
@Suite struct SharedStatisticsTests {
    /// The history of a shared campaign, as a stored log.
    private final class Sample {
        let brand: SharedCampaign
        let folder: AuditedFolder
        let log: EventLog
        var facts: [Fact] { brand.history.facts }

        /// - Parameter every: the number of events between snapshots.
        init(_ brand: SharedCampaign, every: UInt64) throws {
            self.brand = brand
            folder = try AuditedFolder(try TestData.with(brand.history.facts).path)
            log = try folder.log(.readOnly)
            _ = try SnapshotKeeping(of: folder, log: log).make(every: every)
        }

        /// Returns a shop's statistics at a position, or nil if they differ between computations with and without snapshots and the
        /// index.
        func answer(of shop: ShopID, at position: Position) throws -> PastAnswer? {
            let days = try #require(TravelSample.days())
            let answers = try [(true, true), (true, false), (false, true), (false, false)].map { snapshots, index in
                let travel = Travel(in: folder, log: log, usingSnapshots: snapshots, usingIndex: index)
                return try travel.answer(.statistics(shop, days), at: try travel.moment(.position(position)))
            }
            return Set(answers.map { $0.lines + $0.jsonLines }).count == 1 ? answers[0] : nil
        }

        /// Compares the answers about both shops at a position with the reports of the `Statistics` model.
        func compare(at position: Position) throws {
            let days = try #require(TravelSample.days())
            let data = try TestData.with(facts.prefix(Int(position.rawValue)))
            let log = try data.log()
            try AuditSample.build(Statistics.self, data, log)
            let model = try Statistics(StoredModel.open(Statistics.self, in: data.models).store)
            for shop in [brand.home, brand.branch] {
                let answer = try #require(try answer(of: shop, at: position), "all ways to compute give one answer at \(position)")
                let report = try model.report(of: shop, days.period(at: answer.moment.clock))
                #expect(answer.rows == report.pastRows(days.zone), "\(shop == brand.home ? "home" : "branch") at \(position)")
            }
        }
    }

    @Test("A card that got stamps at several shops is counted as filled at the shop of its last stamp")
    func filledElsewhere() throws {
        var brand = SharedCampaign()
        let customers = brand.history.customers
        _ = brand.stamp(1, at: brand.branch, customers[0])
        let between = brand.history.facts.count
        _ = brand.stamp(2, at: brand.home, customers[0])
        _ = brand.stamp(1, at: brand.home, customers[1])
        _ = brand.stamp(1, at: brand.branch, customers[1])
        _ = brand.stamp(1, at: brand.home, customers[1])
        _ = brand.stamp(2, at: brand.home, customers[2])
        _ = brand.stamp(1, at: brand.branch, customers[2])
        for every in [UInt64(between), 3, 1_000] {
            let sample = try Sample(brand, every: every)
            for position in between...sample.facts.count { try sample.compare(at: Position(UInt64(position))) }
        }
    }

    @Test("Random days at both shops, with discarded cards and reversed stamps, are answered as the model answered them")
    func randomDays() throws {
        var random = SeededRandom.announced("statistics of shared campaigns")
        var brand = SharedCampaign()
        var (given, cards): ([(code: CodeID, card: CardID)], [AccountID: CardID]) = ([], [:])
        for _ in 0..<60 {
            let customer = brand.history.customers.randomElement(using: &random)!
            let shop = Bool.random(using: &random) ? brand.home : brand.branch
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                if let last = given.popLast() {
                    _ = brand.history.run(.reverseStamp(ReverseStamp(code: last.code, reason: "Refunded")), by: brand.owner)
                }
            case 1:
                if let card = cards[customer] { _ = brand.history.run(.discardCard(DiscardCard(card: card)), by: customer) }
            default:
                let stamp = brand.stamp(Int.random(in: 1...2, using: &random), at: shop, customer)
                given.append(stamp)
                for case .cardOpened(let opened) in brand.history.facts.suffix(4).map(\.event) { cards[opened.holder] = opened.card }
            }
        }
        let sample = try Sample(brand, every: 23)
        let count = sample.facts.count
        for position in stride(from: 20, through: count, by: 11) { try sample.compare(at: Position(UInt64(position))) }
        try sample.compare(at: Position(UInt64(count)))
    }
}
