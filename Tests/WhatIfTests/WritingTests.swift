import Foundation
import Loyalty
import Patience
import Testing

@testable import WhatIf

/// Reports as text, CSV, JSON lines and SVG.
@Suite struct WritingTests {
    private func report() throws -> WhatIfReport {
        var house = try TeaHouse(goal: 4)
        let (one, two) = (house.customer(), house.customer())
        house.visits(24, by: one)
        try house.redeem(one)
        house.visits(9, by: two)
        return try house.whatIf(#"{"goal": 3, "timeZone": "Asia/Shanghai"}"#, prices: ["350"])
    }

    @Test("The text report shows each figure before and after, and the difference")
    func textReport() throws {
        let lines = ReportText(try report(), top: 1).lines
        #expect(lines.contains("rules    goal 3"))
        #expect(lines.contains("                  before  after  difference"))
        #expect(lines.contains("cards filled           8     11          +3"))
        #expect(lines.contains("rewards redeemed       1      3          +2"))
        #expect(lines.contains("cost                3.50  10.50       +7.00"))
        #expect(lines.contains("accounts  2 gain, 0 lose, 0 neither"))
        #expect(lines.contains { $0.hasPrefix("month") && $0.hasSuffix("cost") })
        #expect(lines.contains { $0.hasPrefix("2026-01") } && lines.contains { $0.contains("茶, \"7\"") })
        #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
    }

    @Test("A CSV line holds one month of one shop, and its fields are quoted and start no formula")
    func csvMonth() throws {
        let lines = ReportCSV(try report()).text.components(separatedBy: "\r\n")
        #expect(lines[0].hasPrefix("shop,shop_name,month,stamps_before,stamps_after,"))
        #expect(lines[0].hasSuffix(",cost_cents_before,cost_cents_after"))
        #expect(lines[1].contains(",\"茶, \"\"7\"\"\",2026-01,27,27,7,9,6,9,1,3,350,1050"))
        #expect(lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.split(separator: ",").count >= 13 })
        let fields = ["a", "a,b", "a\"b", "a\nb", "=1+1", "-x", "-5", ""].map(ReportCSV.field)
        #expect(fields == ["a", "\"a,b\"", "\"a\"\"b\"", "\"a\nb\"", "'=1+1", "'-x", "-5", ""])
    }

    @Test("Each line of the JSON report is an object that names its part, and the summary comes first")
    func jsonLines() throws {
        let parts = try ReportLines(try report(), top: 5).lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["part"] as? String)
        }
        #expect(parts.first == "summary")
        #expect(Set(parts) == ["summary", "account", "month", "shopMonth"])
        #expect(parts.count { $0 == "account" } == 2)
    }

    @Test("The chart is well-formed XML with a title, two bars a month and no script")
    func chartXML() throws {
        let report = try report()
        let svg = MonthChart(report).svg
        #expect(svg.contains("<title id=\"title\">Cards filled by month: goal 3</title>"))
        #expect(svg.contains("In all 8 before and 11 after.") && svg.contains("role=\"img\""))
        #expect(!svg.contains("<script") && !svg.contains("href"))
        // Three rectangles are not bars: the background and two in the legend.
        let bars = svg.components(separatedBy: "<rect").count - 1 - 3
        #expect(bars == report.months.count * 2)
        #expect(try Self.isXML(svg))
        #expect(try !Self.isXML("<svg><a></svg>"), "the check of XML can fail")
    }

    @Test("Accounts are sorted by their gain: by redeemed cards, then by full cards, then by stamps")
    func byGain() {
        var (before, after) = (Ledger(Prices(), ProgrammeRules()), Ledger(Prices(), ProgrammeRules()))
        (before.isOpen, after.isOpen) = (true, true)
        let gains = [Tally(stamps: 5), Tally(filled: 1), Tally(redeemed: 1), Tally(), Tally(stamps: -1), Tally(stamps: 9, redeemed: -1)]
        for (number, gain) in gains.enumerated() {
            let account = AccountID(UInt128(number))
            for (tally, isAfter) in [(Tally(stamps: 10, filled: 2, redeemed: 2), false), (gain, true)] {
                func add(_ ledger: inout Ledger) {
                    ledger.add(tally, holder: account, campaign: CampaignID(1), shop: ShopID(1), at: Instant(microseconds: 0))
                }
                if !isAfter { add(&before) }
                add(&after)
            }
        }
        let changes = AccountChanges(before, after)
        #expect(changes.changes.map(\.account.value) == [2, 1, 0, 4, 5])
        #expect((changes.gaining, changes.losing, changes.unchanged) == (3, 2, 1))
        #expect(changes.gains(top: 2).map(\.account.value) == [2, 1] && changes.losses(top: 1).map(\.account.value) == [5])
    }

    /// Checks the text with an independent XML parser.
    private static func isXML(_ text: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())"]
        let input = Pipe()
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.runInTime()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
