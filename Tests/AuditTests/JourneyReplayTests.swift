import Audit
import EventLog
import Histories
import Loyalty
import Testing

@testable import Projections
@testable import ReadModels

/// Compares journeys computed by a replay with those in the stored model.
@Suite struct JourneyReplayTests {
    private static func query(_ history: RandomHistory, _ campaign: CampaignID?, seconds: Int64) throws -> JourneyQuery {
        // A "day" of `seconds` seconds is shorter than a real day, so that a history of a few hours spans weeks.
        func day(_ quarter: Quarter) -> Int { Int(quarter.start.microseconds / 1_000_000 / seconds) }
        let first = day(Quarter(of: try #require(history.facts.first).time))
        let last = day(Quarter(of: history.now))
        return JourneyQuery(
            period: ReportPeriod(days: first...last) { Int($0.start.microseconds / 1_000_000 / seconds) }, today: last, idleDays: 2,
            campaign: campaign, weeks: 3)
    }

    @Test("A replay of the log gives the same report of journeys as the stored model")
    func sameReports() throws {
        let sample = try AuditSample("journeys", count: 2_500)
        let stored = try StoredModel.open(Journeys.self, in: sample.data.models)
        let model = try Journeys(stored.store)
        let log = try sample.data.log(.readOnly)
        let replay = try Replay(of: log, models: [Journeys.name])
        #expect(replay.visitedShops == sample.history.shops.sorted())
        var visits = 0
        for shop in sample.history.shops {
            let campaign = sample.history.facts.compactMap { fact -> CampaignID? in
                guard case .campaignPublished(let event) = fact.event, event.shop == shop else { return nil }
                return event.campaign
            }.first
            for seconds in [900, 1_800] as [Int64] {
                let query = try Self.query(sample.history, campaign, seconds: seconds)
                let report = try model.report(of: shop, query)
                #expect(replay.journeyReport(of: shop, query) == report)
                #expect(report.effect != nil && report.retention.customers > 5 && report.fill.cards > 5)
                #expect(report.abandonment.discarded + report.abandonment.idle > 0)
                visits += report.retention.visits
            }
            let quarters = try #require(replay.visitedQuarters(of: shop))
            #expect(quarters.lowerBound >= Quarter(of: try #require(sample.history.facts.first).time))
            #expect(quarters.upperBound <= Quarter(of: sample.history.now))
        }
        #expect(visits > 500)
        #expect(replay.visitedQuarters(of: ShopID(1)) == nil)
    }
}
