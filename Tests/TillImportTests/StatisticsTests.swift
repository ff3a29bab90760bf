import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import Patience
import ReadModels
import Testing

@testable import TillImport

/// Statistics of a real till. The service computes them from events, and `Tools/lib/visit_statistics.py` from the rows of the file.
@Suite(.timeLimit(.minutes(15))) struct StatisticsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized.path
    private static let coffee = URL(fileURLWithPath: root + "/../shared/data/coffee-visits.csv").standardized.path
    private static let goal = 5
    /// 2024-03-01, a Friday, in days since 1970.
    private static let first = 19_783

    private struct Expected: Decodable {
        let days: [[Int]]
        let activeCustomers: Int
        let returningCustomers: Int
        let cohorts: [Cohort]

        struct Cohort: Decodable, Equatable {
            let monday: Int
            let active: [Int]

            init(monday: Int, active: [Int]) { (self.monday, self.active) = (monday, active) }

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                monday = try container.decode(Int.self)
                active = try container.decode([Int].self)
            }
        }
    }

    private static func expected(_ file: String, zone: String, from: String, to: String) throws -> Expected {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", root + "/Tools/lib/visit_statistics.py", file, "\(goal)", zone, from, to]
        process.standardOutput = pipe
        try process.runInTime()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(Expected.self, from: data)
    }

    @Test(
        "The statistics of a real till match those that another program computes from the file",
        .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"))
    func realTill() async throws {
        let sandbox = try Sandbox()
        let lines = try String(contentsOfFile: Self.coffee, encoding: .utf8).split(separator: "\n").map(String.init).prefix(1_201)
        _ = try await sandbox.imports(lines.joined(separator: "\n"), goal: Self.goal, redeem: true)
        let file = sandbox.path + "/visits.csv"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let shop = try #require(
            try sandbox.facts().compactMap { fact -> ShopOpened? in
                guard case .shopOpened(let event) = fact.event else { return nil }
                return event
            }.first)
        for (zone, hours, days, from, to) in [
            ("Asia/Shanghai", 8, 0...199, "2024-03-01", "2024-09-16"), ("UTC", 0, 10...60, "2024-03-11", "2024-04-30"),
        ] as [(String, Int64, ClosedRange<Int>, String, String)] {
            let expected = try Self.expected(file, zone: zone, from: from, to: to)
            let period = ReportPeriod(days: (Self.first + days.lowerBound)...(Self.first + days.upperBound)) { quarter in
                Int((quarter.number + 4 * hours) / 96)
            }
            try await expect(try report(sandbox, shop.shop, period), expected, by: shop.owner)
        }
    }

    private func report(_ sandbox: Sandbox, _ shop: ShopID, _ period: ReportPeriod) async throws -> ShopReport {
        #expect(await sandbox.service.models.reached(sandbox.service.log.head, timeoutSeconds: 600))
        return try sandbox.service.models.statistics.report(of: shop, period)
    }

    private func expect(_ report: ShopReport, _ expected: Expected, by owner: AccountID) throws {
        #expect(report.stamps > 200)
        #expect(report.days.map { [$0.stamps, $0.newCards, $0.activeCustomers, $0.redemptions] } == expected.days)
        #expect(report.days.map(\.codes) == expected.days.map { $0[0] })
        #expect(report.activeCustomers == expected.activeCustomers)
        #expect(report.returningCustomers == expected.returningCustomers)
        #expect(report.filled == report.redemptions)
        #expect(report.cohorts.map { Expected.Cohort(monday: $0.monday, active: $0.active) } == expected.cohorts)
        #expect(report.cohorts.allSatisfy { $0.customers == $0.active.first })
        #expect(report.staff.keys.map { $0 } == [owner])
        #expect(report.staff[owner]?.stamps == report.stamps && report.staff[owner]?.redeemed == report.redemptions)
    }
}
