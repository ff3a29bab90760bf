import Loyalty
import Seeds
import Testing
import World
@testable import TillImport

/// Imports of made-up files. Their figures are compared with a count that uses no cards, and the log's order is checked.
@Suite(.timeLimit(.minutes(15))) struct OracleTests {
    private static let stamps = ["2024-03-01T10:15:00Z", "2024-03-01T10:15:01Z", "2024-03-02T00:00:00Z", "2024-02-29T23:59:59Z"]

    private func rows(_ count: Int, using generator: inout SeededRandom) -> [Oracle.Row] {
        (0..<count).map { _ in
            Oracle.Row(
                time: Self.stamps[Int.random(in: 0..<Self.stamps.count, using: &generator)],
                customer: ["", "a", "b", "c", "d e", "茶"][Int.random(in: 0..<6, using: &generator)],
                shop: ["S", "T", "U"][Int.random(in: 0..<3, using: &generator)],
                stamps: [1, 1, 1, 2, 3, 10][Int.random(in: 0..<6, using: &generator)])
        }
    }

    @Test(
        "An import's figures match a count without cards, the log is in order of time, and a repetition adds nothing",
        arguments: [(1, true), (2, false), (3, true), (7, true)], [false, true])
    func figuresAgree(_ terms: (goal: Int, redeem: Bool), _ oneCard: Bool) async throws {
        let (goal, redeem) = terms
        var generator = SeededRandom.announced("figuresAgree")
        let sandbox = try Sandbox()
        let rows = rows(120, using: &generator)
        let file = "visited_at,customer,shop,stamps\n" + rows.map { $0.csv + "\n" }.joined()
        let (summary, reports) = try await sandbox.imports(file, goal: goal, redeem: redeem, oneCard: oneCard)
        #expect(summary.counts == Oracle(goal: goal, redeems: redeem, isShared: oneCard).counts(rows))
        #expect(reports.isEmpty)
        let facts = try sandbox.facts()
        #expect(facts.count == summary.events)
        #expect(zip(facts, facts.dropFirst()).allSatisfy { $0.time <= $1.time }, "the events of the log are in the order of time")
        #expect(World(facts).cards.values.count { $0.status == .full } == summary.full - summary.redeemed)
        let again = try await sandbox.imports(file, goal: goal, redeem: redeem, oneCard: oneCard).summary
        #expect(again.events == 0 && again.ofFile == summary.ofFile)
    }
}
