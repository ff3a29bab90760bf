import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Testing
@testable import TillImport

/// A service on its own data folder. Releasing this object deletes the folder.
final class Sandbox {
    let service: GreenTea
    let path: String

    /// - Parameter queueLimit: the maximum number of commands that wait for the writer.
    init(queueLimit: Int = LogLimits.waitingRequestsMax) throws {
        path = NSTemporaryDirectory() + "greentea-till-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        service = try GreenTea(data: DataFolder(path), master: try MasterSecret(bytes: Array(1...32)), queueLimit: queueLimit)
    }

    deinit {
        try? service.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Imports a text as a file, and returns the summary and the reports on its rows.
    func imports(
        _ text: String, shop: String = "Corner", goal: Int = 3, redeem: Bool = false, owner: E164Number? = nil, oneCard: Bool = false
    ) async throws -> (summary: ImportSummary, reports: [RowReport]) {
        let till = try TillImport(service: service, shop: shop, goal: goal, redeem: redeem, owner: owner, oneCard: oneCard)
        var reports: [RowReport] = []
        let summary = try await till.run(TextBytes(text, piece: 1_000), path: "text", report: { reports.append($0) }, progress: { _ in })
        return (summary, reports)
    }

    /// Returns all events of the log in order.
    func facts() throws -> [Fact] {
        try service.log.events(matching: .all, through: service.log.head).map { try LoyaltyCodec.decode($0) }
    }
}

extension ImportSummary {
    /// All figures except the elapsed time.
    var counts: [String] { figures.filter { $0.name != "seconds" }.map { "\($0.name) \($0.text)" } }
    /// The figures that depend on the imported file alone. The number of added events is left out, because it also depends on earlier
    /// imports.
    var ofFile: [String] { counts.filter { !$0.hasPrefix("events") } }
}
