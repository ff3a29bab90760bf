import CommandService
import Composition
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import TillImport

/// Names that differ only in white space at their ends, or in the way in which Unicode encodes them.
@Suite(.timeLimit(.minutes(15))) struct SpellingTests {
    private static let header = "visited_at,customer\n"

    private func row(_ minute: Int, _ customer: String) -> String { "2024-03-01T10:\(minute):00Z,\(customer)\n" }

    @Test(
        "Two spellings of a customer are one customer",
        arguments: [
            ("anna", "anna "), ("anna", "\u{3000}anna\u{A0}\t"), ("anna", "\u{FEFF}anna\u{200B}"), ("caf\u{E9}", "cafe\u{301}"),
        ])
    func customers(_ first: String, _ second: String) async throws {
        let sandbox = try Sandbox()
        let file = Self.header + row(10, first) + row(10, second) + row(11, second) + row(12, "other")
        let (summary, reports) = try await sandbox.imports(file)
        #expect(summary.accounts == 2 && summary.stamps == 4 && summary.full == 1 && reports.isEmpty)
        #expect(try await sandbox.imports(file).summary.events == 0)
        let tidy = Self.header + row(10, first) + row(10, first) + row(11, first) + row(12, "other")
        #expect(try await sandbox.imports(tidy).summary.events == 0, "the same visits, all spelled alike")
    }

    @Test("Two spellings of a shop are one shop, and a column's name may have blanks around it", arguments: [false, true])
    func shops(_ oneCard: Bool) async throws {
        let sandbox = try Sandbox()
        let rows = [
            "2024-03-01T10:10:00Z,anna,Kallio ", " 2024-03-01T10:11:00Z,anna,Kallio", "2024-03-01T10:12:00Z\u{3000},anna,\u{A0}Kallio",
        ]
        let file = (["visited_at\u{A0}, CUSTOMER ,\u{3000}shop"] + rows).joined(separator: "\n")
        let (summary, reports) = try await sandbox.imports(file, shop: " Corner ", oneCard: oneCard)
        #expect(summary.shops == 1 && summary.stamps == 3 && reports.isEmpty)
        #expect(try await sandbox.imports(file, shop: "Corner", oneCard: oneCard).summary.events == 0)
        let shop = try #require(World(sandbox.facts()).shops.values.first)
        #expect(try sandbox.service.opened(shop).name == "Corner Kallio")
    }

    @Test("A customer of blanks and invisible characters is no customer")
    func nobody() async throws {
        let summary = try await Sandbox().imports(Self.header + row(10, "\u{200B} \u{3000}")).summary
        #expect(summary.skipped == 1 && summary.accounts == 0)
    }

    @Test("A file that an older version imported under each spelling counts once, and new rows of it are added", arguments: [false, true])
    func older(_ oneCard: Bool) async throws {
        let sandbox = try Sandbox()
        let name = " Corner"
        let rows = [("anna", "Kallio"), ("anna ", "Kallio"), ("anna ", "Kallio "), ("ben ", "Kallio ")]
        try await importAsBefore(rows, into: sandbox, name, oneCard: oneCard)
        let known = ["till: Corner:customer:anna", "till: Corner:customer:anna ", "till: Corner:customer:ben "]
        #expect(try await sandbox.service.registrations(of: known).count { if case .known = $0 { true } else { false } } == 3)
        let before = try sandbox.facts()
        let lines = rows.map { "2024-03-01T10:15:00Z,\($0.0),\($0.1)\n" }
        let file = "visited_at,customer,shop\n" + lines.joined()
        #expect(try await sandbox.imports(file, shop: name, oneCard: oneCard).summary.events == 0)
        #expect(try sandbox.facts() == before)
        let longer = file + "2024-03-02T10:15:00Z,carl ,Kallio\n2024-03-02T10:16:00Z,carl,Kallio\n2024-03-02T10:17:00Z,ben ,Kallio\n"
        let summary = try await sandbox.imports(longer, shop: name, oneCard: oneCard).summary
        #expect(summary.stamps == 7 && summary.accounts == 4)
        #expect(try World(sandbox.facts()).accounts.count - World(before).accounts.count == 1)
        #expect(try await sandbox.imports(longer, shop: name, oneCard: oneCard).summary.events == 0)
    }

    /// Imports visits of one moment as versions did that took every name as it stood in the file.
    private func importAsBefore(
        _ rows: [(customer: String, shop: String)], into sandbox: Sandbox, _ name: String, oneCard: Bool
    ) async throws {
        var history = VisitHistory()
        for (line, row) in rows.enumerated() {
            let time = try #require(Instant(rfc3339: "2024-03-01T10:15:00Z"))
            history.add(VisitRow(time: time, customer: row.customer, shop: row.shop, location: nil), line: line + 2)
        }
        let terms = try ImportTerms(name: name, goal: 3, redeems: false, isShared: oneCard)
        var run = ImportRun(history, service: sandbox.service, terms: terms) { Issue.record("\($0)") }
        try await run.play { _ in }
        #expect(run.summary.stamps == rows.count)
    }
}
