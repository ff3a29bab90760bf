import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Patience
import Testing

@testable import ReadModels

/// The digest of a real till's visits. The models count it from events, and `Tools/lib/visit_digest.py` from the rows of the file; the
/// head of that file says which events a row makes.
@Suite(.timeLimit(.minutes(15))) struct DigestVisitsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized.path
    private static let coffee = URL(fileURLWithPath: root + "/../shared/data/coffee-visits.csv").standardized.path
    private static let (shop, campaign, goal) = (ShopID(1), CampaignID(5), 5)

    private struct Expected: Decodable {
        struct Reversals: Decodable {
            let member: String
            let given, reversed: Int
        }

        let ending, waiting: Int?
        let left: [Int]?
        let quiet: [Double]?
        let reversals: Reversals?
    }

    private struct Row {
        let time: Instant
        let customer: Int
        let item: String
    }

    /// A moment, a zone, and the hours of each day in which the shop is open.
    private static let moments: [(now: String, zone: String, hours: [Range<Int>])] = [
        ("2025-03-01T12:00:00Z", "UTC", [14..<18, 21..<22]), ("2025-03-01T12:00:00Z", "Asia/Shanghai", [0..<2, 5..<6, 22..<24]),
        ("2024-07-01T08:00:00Z", "UTC", [8..<20]), ("2024-04-01T08:00:00Z", "UTC", [8..<20]),
    ]

    private static func expected(_ now: String, _ zone: String, _ hours: [Range<Int>]) throws -> Expected {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", root + "/Tools/lib/visit_digest.py", coffee, now.replacingOccurrences(of: "Z", with: "+00:00"), zone]
            + hours.map { "\($0.lowerBound)-\($0.upperBound)" }
        process.standardOutput = pipe
        try process.runInTime()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(Expected.self, from: data)
    }

    /// In the order of time.
    private static func rows(before now: Instant) throws -> [Row] {
        let lines = try String(contentsOfFile: coffee, encoding: .utf8).split(separator: "\n").dropFirst()
        let all = try lines.compactMap { line -> Row? in
            let parts = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard let customer = Int(parts[1].suffix(4)) else { return nil }
            return Row(time: try #require(Instant(rfc3339: parts[0])), customer: customer, item: parts[2])
        }
        let earlier = all.filter { $0.time < now }.enumerated()
        return earlier.sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private struct History {
        private(set) var facts: [Fact] = []
        private(set) var reversals: [AccountID: Int] = [:]
        private var stamps: [Int: Int] = [:]

        mutating func add(_ row: Row, _ number: Int, by member: AccountID, isReported: Bool) {
            let (before, holder) = (stamps[row.customer] ?? 0, AccountID(UInt128(row.customer) << 32))
            let (card, code) = (CardID(holder.value + UInt128(before / goal) + 1), CodeID(UInt128(number) + 1))
            stamps[row.customer] = before + 1
            func tell(_ event: LoyaltyEvent) {
                facts.append(Fact(position: UInt64(facts.count) + 1, time: row.time, actor: member, event: event))
            }
            for shown in [code, CodeID(code.value | 1 << 64)] {
                tell(
                    .codeIssued(
                        CodeIssued(
                            code: shown, campaign: campaign, shop: shop, secret: Secret(shown.value), attempt: 0, stamps: 1,
                            expiresAt: row.time.advanced(bySeconds: 60))))
            }
            if before % goal == 0 {
                let terms = CardTerms(expiresAt: row.time.advanced(bySeconds: 60 * 86_400), redeemUntil: nil)
                tell(
                    .cardOpened(
                        CardOpened(card: card, campaign: campaign, shop: shop, holder: holder, goal: goal, reward: "tea", terms: terms)))
            }
            tell(.cardStamped(CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: 1)))
            if before % goal == goal - 1, row.customer % 2 == 0 {
                let redemption = RedemptionID(UInt128(number) + 1)
                tell(.cardRedeemed(CardRedeemed(redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder)))
            }
            let isTakenBack = number % 50 == 0 || row.item == "Latte" && number % 3 == 0
            if isTakenBack, isReported { reversals[member, default: 0] += 1 }
        }
    }

    @Test(
        "The findings in a real till's visits match those that another program computes from the file",
        .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"), arguments: moments.indices)
    func realTill(_ place: Int) async throws {
        let (now, zone, hours) = Self.moments[place]
        let time = DigestTime(try #require(Instant(rfc3339: now)), in: try #require(ReportZone(name: zone)))
        let rows = try Self.rows(before: time.now)
        let items = Set(rows.map(\.item)).sorted()
        let members = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($1, AccountID(UInt128($0) + 1)) })
        var history = History()
        for (number, row) in rows.enumerated() {
            history.add(row, number, by: try #require(members[row.item]), isReported: time.days.contains(time.zone.day(of: row.time)))
        }
        let open = try OpenData(TestData())
        #expect(try await open.append(history.facts))
        let figures = DigestFigures(
            acts: try open.models.statistics.digest(of: Self.shop, time),
            cards: try open.models.journeys.digest(of: Self.shop, time, campaigns: [Self.campaign: true], isHeld: { _ in true }),
            ending: try open.models.deadlines.ending(of: Self.shop, time), reversals: history.reversals)
        try open.close()
        let daily = hours.map { OpeningHours(days: Weekdays.all.rawValue, fromMinute: $0.lowerBound * 60, toMinute: $0.upperBound * 60) }
        let digest = ShopDigest(of: figures, at: DigestShop(owner: AccountID(99), openingHours: daily, campaigns: []))
        try expect(digest.findings, try Self.expected(now, zone, hours), members)
    }

    private func expect(_ findings: [DigestFinding], _ expected: Expected, _ members: [String: AccountID]) throws {
        let count = [expected.ending, expected.waiting].compactMap(\.self).count
        let others = [expected.left != nil, expected.quiet != nil, expected.reversals != nil].count { $0 }
        #expect(findings.count == count + others)
        for finding in findings {
            switch finding {
            case .cardsEnding(let found): #expect(found.cards == expected.ending)
            case .rewardsWaiting(let found): #expect(found.cards == expected.waiting)
            case .cardsLeft(let found): #expect([found.stamps, found.reached, found.left] == expected.left)
            case .quietHour(let found): #expect([Double(found.hour), Double(found.visits), found.expected] == expected.quiet)
            case .unusualReversals(let found):
                let reversals = try #require(expected.reversals)
                #expect(found.account == members[reversals.member])
                #expect(found.member == UnusualReversals.Work(given: reversals.given, reversed: reversals.reversed))
            }
        }
    }
}
