import Foundation
import Testing
@testable import TillImport

/// Progress reports during an import.
@Suite(.timeLimit(.minutes(15))) struct ImportProgressTests {
    /// The progress bar measures time from the first report, so one must come at the beginning.
    @Test("Progress reports cover reading and replay, each from its start to its end", arguments: [true, false])
    func fullProgress(redeem: Bool) async throws {
        let sandbox = try Sandbox()
        let rows = (0..<700).map { "2024-01-01T\(String(format: "%02d:%02d", 8 + $0 / 60, $0 % 60)):00Z,guest \($0 % 7)" }
        let text = (["visited_at,customer"] + rows).joined(separator: "\n")
        let till = try TillImport(service: sandbox.service, shop: "Corner", goal: 3, redeem: redeem)
        var steps: [ImportStep] = []
        let source = TextBytes(text, piece: 1_000)
        _ = try await till.run(source, path: "text", length: text.utf8.count, report: { _ in }, progress: { steps.append($0) })
        let played = steps.drop { if case .reading = $0 { true } else { false } }
        let reading = steps.prefix(steps.count - played.count)
        #expect(reading.first == .reading(bytes: 1_000, of: text.utf8.count))
        #expect(reading.last == .reading(bytes: text.utf8.count, of: text.utf8.count))
        #expect(played.first == .playing(visits: 0, of: 700) && played.last == .playing(visits: 700, of: 700))
        let visits = played.compactMap { if case .playing(let visits, _) = $0 { visits } else { nil } }
        #expect(visits.count >= 4 && visits == visits.sorted(), "\(visits)")
    }

    @Test("The error for a full disk names the line, the failed step and the remedy")
    func fullDisk() {
        let error = ImportError.stopped(what: "stamp a visit", line: 834, reason: "no room left on the disk. Free space.")
        #expect(
            error.description == "line 834: the service stopped before it could stamp a visit: no room left on the disk. Free space. "
                + "Then import the same file again: what is imported stands, and it goes on from there.")
    }
}
