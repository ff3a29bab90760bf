import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import Patience
import ReadModels
import Testing

@testable import TillImport

/// Reports on customers and cards of a real till. The service computes them from events, and `Tools/lib/visit_journeys.py` from the rows of
/// the file.
@Suite(.timeLimit(.minutes(15))) struct JourneysTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized.path
    private static let coffee = URL(fileURLWithPath: root + "/../shared/data/coffee-visits.csv").standardized.path
    private static let goal = 5
    /// The number of rows read from the file, including its header.
    private static let lines = 1_601

    /// Periods with a time zone and its offset from UTC in quarter hours. No zone changes its clocks during its period.
    private static let periods: [(zone: String, quarters: Int64, from: String, to: String)] = [
        ("Asia/Shanghai", 32, "2024-03-01", "2024-09-16"), ("UTC", 0, "2024-03-11", "2024-08-04"),
        ("Asia/Kathmandu", 23, "2024-05-06", "2024-07-01"),
    ]

    private struct Expected: Decodable {
        struct Retention: Decodable {
            let visits, customers, returningCustomers: Int
            let cohorts: [Cohort]
        }
        struct Cohort: Decodable, Equatable {
            let monday: Int
            let active: [Int]

            init(monday: Int, active: [Int]) { (self.monday, self.active) = (monday, active) }

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                (monday, active) = (try container.decode(Int.self), try container.decode([Int].self))
            }
        }
        struct Fill: Decodable {
            let cards: Int
            let median, p90: Double?
            let histogram: [[Int]]
        }
        struct Abandonment: Decodable {
            let cards, full: Int
            let steps: [[Int]]
        }
        let retention: Retention
        let fill: Fill
        let abandonment: Abandonment
        let effect: [[[Int]]]
    }

    private static func expected(_ file: String, _ arguments: [String]) throws -> Expected {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", root + "/Tools/lib/visit_journeys.py", file, "\(goal)"] + arguments
        process.standardOutput = pipe
        try process.runInTime()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(Expected.self, from: data)
    }

    @Test(
        "The reports on a real till's customers match those that another program computes from the file",
        .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"))
    func realTill() async throws {
        let sandbox = try Sandbox()
        let lines = try String(contentsOfFile: Self.coffee, encoding: .utf8).split(separator: "\n").map(String.init).prefix(Self.lines)
        _ = try await sandbox.imports(lines.joined(separator: "\n"), goal: Self.goal, redeem: true)
        let file = sandbox.path + "/visits.csv"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let (shop, campaign) = try await promotion(sandbox)
        #expect(await sandbox.service.models.reached(sandbox.service.log.head, timeoutSeconds: 600))
        for period in Self.periods {
            let arguments = [period.zone, period.from, period.to, "--idle", "20", "--campaign", "2024-05-20", "2024-06-14", "3"]
            let expected = try Self.expected(file, arguments)
            let days = try #require(FullDate.day(period.from))...(try #require(FullDate.day(period.to)))
            let query = JourneyQuery(
                period: ReportPeriod(days: days) { Int(($0.number + period.quarters) / 96) }, today: days.upperBound, idleDays: 20,
                campaign: campaign, weeks: 3)
            try expect(try sandbox.service.models.journeys.report(of: shop, query), expected)
        }
    }

    /// Publishes a promotion that begins and ends on the same days in every zone.
    private func promotion(_ sandbox: Sandbox) async throws -> (ShopID, CampaignID) {
        let shop = try #require(
            try sandbox.facts().compactMap { fact -> ShopOpened? in
                guard case .shopOpened(let event) = fact.event else { return nil }
                return event
            }.first)
        func noon(_ day: String) throws -> Instant {
            Instant(microseconds: (Int64(try #require(FullDate.day(day))) * 24 + 10) * 3_600_000_000)
        }
        let draft = CampaignDraft(
            kind: .promotion,
            terms: CampaignTerms(
                title: "Cake", details: "", goal: 0, reward: "", startsAt: try noon("2024-05-20"), endsAt: try noon("2024-06-14")))
        let done = try await sandbox.service.publishCampaign(
            draft, of: shop.shop, by: Caller(account: shop.owner), at: try noon("2024-05-19"))
        guard case .campaignPublished(let published) = done.facts.first?.event else { throw CancellationError() }
        return (shop.shop, published.campaign)
    }

    private func expect(_ report: JourneyReport, _ expected: Expected) throws {
        let retention = report.retention
        #expect(retention.visits == expected.retention.visits && retention.visits > 100)
        #expect(retention.customers == expected.retention.customers)
        #expect(retention.returningCustomers == expected.retention.returningCustomers && retention.returningCustomers > 10)
        #expect(retention.cohorts.map { Expected.Cohort(monday: $0.monday, active: $0.active) } == expected.retention.cohorts)
        #expect(retention.cohorts.allSatisfy { $0.customers == $0.active.first })
        #expect(report.fill.cards == expected.fill.cards && report.fill.cards > 20)
        #expect(report.fill.medianSeconds == expected.fill.median && report.fill.p90Seconds == expected.fill.p90)
        #expect(report.fill.histogram.map { [$0.days, $0.cards] } == expected.fill.histogram)
        let abandonment = report.abandonment
        #expect(abandonment.cards == expected.abandonment.cards && abandonment.full == expected.abandonment.full)
        #expect(abandonment.steps.map { [$0.reached, $0.idle] } == expected.abandonment.steps && abandonment.idle > 20)
        #expect(abandonment.discarded == 0)
        let effect = try #require(report.effect)
        let phases = [effect.before, effect.during, effect.after].map { phase in
            phase.weeks.map { [$0.firstDay, $0.days, $0.visits, $0.activeCustomers, $0.newCustomers] }
        }
        #expect(phases == expected.effect)
        #expect(effect.before.weeks.count == 3 && effect.during.weeks.count == 4 && effect.during.weeks.last?.days == 5)
    }
}
