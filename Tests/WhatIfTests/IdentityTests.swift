import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

@testable import WhatIf

/// A re-run under the recorded rules changes nothing.
@Suite struct IdentityTests {
    private func history(_ random: SeededRandom, _ count: Int, ages: Bool = false, joins: Bool = false) -> RandomHistory {
        var history = RandomHistory(random: random, ages: ages, milestones: ages, joins: joins)
        history.grow(to: count)
        return history
    }

    /// Returns the resulting facts and the self-check of re-running a log under some rules.
    private func changed(_ data: TestData, _ rules: ProgrammeRules) throws -> (facts: [Fact], check: SelfCheck) {
        let seen = Seen()
        let question = WhatIf(rules)
        var rerun = Rerun(rules, Prices())
        rerun.changed.observe = { seen.facts.append($0) }
        let log = try data.log(.readOnly)
        _ = try question.walk(log, &rerun) { _ in }
        return (seen.facts, try question.run(on: log).check)
    }

    private final class Seen {
        var facts: [Fact] = []
    }

    @Test("A re-run under the recorded rules reproduces every event about cards and reports no difference", arguments: 0..<24)
    func reproduced(_ round: Int) throws {
        var random = SeededRandom.announced("identity \(round)")
        if round > 0 { random = SeededRandom(seed: random.seed &+ UInt64(round) &* 7_919) }
        let history = history(random, 700, ages: round % 3 == 2, joins: round % 4 >= 2)
        let data = try TestData.with(history.facts)
        let (facts, check) = try changed(data, ProgrammeRules())
        #expect(check.isPassed, "\(check)")
        #expect(facts == history.facts.filter { Self.isAboutCards($0.event) })
        let report = try WhatIf(ProgrammeRules()).run(on: try data.log(.readOnly))
        #expect(report.isEmpty && report.total.before == report.total.after)
        let replayed = StateDigest(of: try Replay(of: try data.log(.readOnly))).models.first { $0.model == "card-progress" }
        #expect(report.check.digest == replayed?.hex)
        #expect(ReportText(report, top: 5).lines.last == "report   empty: nothing would have been other than it was")
        let figures = ["stamps", "opened", "filled", "redeemed"] + (report.total.before.milestones == 0 ? [] : ["milestones"])
        let names = figures.flatMap { ["\($0)_before", "\($0)_after"] }
        #expect(ReportCSV(report).text == (["shop", "shop_name", "month"] + names).joined(separator: ",") + "\r\n")
        #expect(ReportLines(report, top: 5).lines.count == 1)
    }

    @Test("Rules that begin after the log's last event change nothing")
    func laterRules() throws {
        let history = history(SeededRandom.announced("later rules"), 500)
        let data = try TestData.with(history.facts)
        var rules = ProgrammeRules()
        (rules.goal, rules.codeWorth, rules.redemption) = (2, 5, .whenFull)
        let report = try WhatIf(rules, from: .position(Position(UInt64(history.facts.count) + 1))).run(on: try data.log(.readOnly))
        #expect(report.isEmpty && report.check.isPassed)
    }

    @Test("Two re-runs of a log under the same changed rules pass the self-check and give the same bytes", arguments: 0..<6)
    func sameAnswer(_ round: Int) throws {
        let history = history(SeededRandom.announced("answers \(round)"), 600)
        let data = try TestData.with(history.facts)
        var rules = ProgrammeRules()
        rules.goal = [nil, 1, 4, 50, 7, 2][round]
        rules.codeWorth = [2, nil, 10, nil, nil, 1][round]
        rules.stampsPerDayMax = [.unchanged, .set(3), .removed, .set(50), .set(1), .unchanged][round]
        rules.minimumGapSeconds = [.set(600), .unchanged, .removed, .unchanged, .unchanged, .set(1)][round]
        rules.repeats = [.unchanged, .set(2), .removed, .unchanged, .set(1), .removed][round]
        rules.welcomeStamps = [.set(1), .removed, .unchanged, .set(10), .unchanged, .set(2)][round]
        let hours = BonusHours(days: .all, fromMinute: 400, toMinute: 420, factor: 5)
        rules.bonuses = [.unchanged, .removed, .set([hours]), .unchanged, .set([hours]), .removed][round]
        rules.codeValidSeconds = [1, nil, 86_400, nil, nil, nil][round]
        rules.weekdays = round.isMultiple(of: 2) ? [.tuesday: 3, .wednesday: 2] : [:]
        rules.redemption = round < 3 ? .whenFull : .asInHistory
        let log = try data.log(.readOnly)
        let reports = try (0..<2).map { _ in try WhatIf(rules).run(on: log) }
        #expect(reports[0].check.isPassed && !reports[0].isEmpty)
        #expect(ReportText(reports[0], top: 9).lines == ReportText(reports[1], top: 9).lines)
        #expect(ReportLines(reports[0], top: 9).lines == ReportLines(reports[1], top: 9).lines)
        #expect(ReportCSV(reports[0]).text == ReportCSV(reports[1]).text)
        #expect(MonthChart(reports[0]).svg == MonthChart(reports[1]).svg)
    }

    @Test("A re-run leaves the log's file as it is")
    func theLogIsOnlyRead() throws {
        let data = try TestData.with(history(SeededRandom.announced("untouched"), 400).facts)
        let file = URL(fileURLWithPath: data.path + "/log/data.mdb")
        let before = try Data(contentsOf: file)
        var rules = ProgrammeRules()
        rules.goal = 3
        _ = try WhatIf(rules).run(on: try data.log(.readOnly))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("The last progress report has the position of the log's last event")
    func progressEnd() throws {
        let history = history(SeededRandom.announced("progress"), 300)
        var last = Position.start
        _ = try WhatIf(ProgrammeRules()).run(on: try TestData.with(history.facts).log(.readOnly)) { last = $0 }
        #expect(last == Position(UInt64(history.facts.count)))
    }

    @Test("The report on an empty log is empty and passes the self-check")
    func emptyLog() throws {
        let report = try WhatIf(ProgrammeRules()).run(on: try TestData.with([]).log(.readOnly))
        #expect(report.isEmpty && report.check.isPassed && report.position == .start)
    }

    private static func isAboutCards(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .codeIssued, .codeDestroyed, .paperCardTaken: true
        // A re-run copies reminders without a decision.
        case .cardReminded: false
        default: event.card != nil
        }
    }
}
