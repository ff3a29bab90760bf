import Foundation
import Testing
@testable import TillImport

/// Imports the first 300 visits of a real till, if its file exists. `Tools/check-import` imports the complete file.
@Suite(.timeLimit(.minutes(15))) struct RealVisitsTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data").standardized.path
    private static let coffee = folder + "/coffee-visits.csv"

    @Test(
        "The figures of the first 300 visits of a real till match a count without cards",
        .enabled(if: FileManager.default.fileExists(atPath: coffee), "../shared/data is not there"))
    func firstVisits() async throws {
        let lines = try String(contentsOfFile: Self.coffee, encoding: .utf8).split(separator: "\n").prefix(301)
        let rows = lines.dropFirst().map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return Oracle.Row(time: String(fields[0]), customer: String(fields[1]), shop: "")
        }
        let sandbox = try Sandbox()
        let (summary, _) = try await sandbox.imports(lines.joined(separator: "\n"), goal: 5, redeem: true)
        #expect(summary.counts == Oracle(goal: 5, redeems: true).counts(rows))
    }
}
