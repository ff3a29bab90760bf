import Audit
import CommandService
import Composition
import EventLog
import Foundation
import LoyaltyCodec
import Testing
import TillImport

@testable import WhatIf

/// The real visits of a coffee shop, imported as a till's history. The test is skipped if the file is missing.
@Suite(.timeLimit(.minutes(15))) struct RealVisitsTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data/coffee-visits.csv").standardized.path

    /// Closes the service before it returns, because a process can open a log only once.
    private func imported(to folder: String) async throws {
        let service = try Self.service(folder)
        _ = try await TillImport(service: service, shop: "Corner", goal: 10, redeem: true).run(Self.file)
        try Self.close(service)
    }

    private static func service(_ folder: String) throws -> GreenTea {
        try GreenTea(data: DataFolder(folder), master: try MasterSecret(bytes: Array(1...32)))
    }

    private static func close(_ service: GreenTea) throws { try service.close() }

    /// Counts the visits of each customer from the file alone.
    private func visits() throws -> [Substring: Int] {
        try String(contentsOfFile: Self.file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false)[1] }.filter { !$0.isEmpty }
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test(
        "The cards that other goals fill match a count of a real till's visits in the file",
        .enabled(if: FileManager.default.fileExists(atPath: file), "../shared/data is not there"))
    func otherGoals() async throws {
        let folder = NSTemporaryDirectory() + "greentea-whatif-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await imported(to: folder)
        let log = try AuditedFolder(folder).log(.readOnly)
        let none = try WhatIf(ProgrammeRules(json: Array("{}".utf8))).run(on: log)
        #expect(none.isEmpty && none.check.isPassed)

        let counts = try visits().values
        for (goal, redemption) in [(8, "asInHistory"), (8, "whenFull"), (12, "whenFull")] {
            let rules = try ProgrammeRules(json: Array(#"{"goal": \#(goal), "redemption": "\#(redemption)"}"#.utf8))
            let report = try WhatIf(rules).run(on: log)
            #expect(report.check.isPassed)
            #expect(report.total.before.stamps == counts.reduce(0, +) && report.total.after.stamps == report.total.before.stamps)
            #expect(report.total.before.filled == counts.reduce(0) { $0 + $1 / 10 })
            #expect(report.total.after.filled == counts.reduce(0) { $0 + $1 / goal })
            #expect(report.accounts.changes.count { $0.filled != 0 } == counts.count { $0 / 10 != $0 / goal })
            if redemption == "whenFull" { #expect(report.total.after.redeemed == report.total.after.filled) }
        }
    }
}
