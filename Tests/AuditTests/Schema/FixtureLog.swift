import Archive
import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec

/// Stored logs in `Fixtures/events/*.events`; together they hold every event type in every version ever written.
///
/// `greentea-audit export --format binary` writes this format. The files never change. A new type or version needs a new file, and
/// `GREENTEA_RECORD=1` writes each file that does not exist yet.
enum FixtureLog {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/events").path

    static let isRecording = ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1"

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".events") }.map { String($0.dropLast(7)) }
            .sorted()
    }

    static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).events"))) }

    /// Returns a data folder that holds the stored log.
    static func data(_ name: String) throws -> TestData {
        let (data, source) = (TestData(), Source(try bytes(name)))
        let log = try data.log()
        _ = try Import(into: log).run { source.take($0) }
        try log.close()
        return data
    }

    /// Writes the missing files. A log in a shape that the code no longer writes cannot be recreated if it is lost.
    static func record() throws {
        try record("log-passwords", FixtureStory.passwords())
        try record("log-staff", FixtureStory.staff())
        try record("log-images", FixtureStory.images())
        try record("log-4", FixtureStory.sealedFacts())
        try record("log-5", FixtureStory.corrections())
        try record("log-roles", FixtureStory.roles())
        try record("log-shops", FixtureStory.shops())
        try record("log-time", FixtureStory.time())
        try record("log-terms", FixtureStory.terms())
        try record("log-people", FixtureStory.people())
        try record("log-coupons", FixtureStory.coupons())
        try record("log-expiry", FixtureStory.expiry())
        try record("log-papers", FixtureStory.papers())
        try record("log-milestones", FixtureStory.milestones())
        try record("log-branches", FixtureStory.branches())
        try record("log-lapses", FixtureStory.lapses())
        try record("log-waiting", FixtureStory.waiting())
        try record("log-teams", FixtureStory.teams())
        try record("log-parts", FixtureStory.parts())
    }

    private static func record(_ name: String, _ facts: @autoclosure () -> [Fact]) throws {
        let path = "\(folder)/\(name).events"
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let data = TestData()
        let log = try data.log()
        let appender = try log.appender()
        for fact in facts() { _ = try appender.stage(try stored(fact)) }
        try appender.commit()
        let sink = Source([])
        _ = try Export(of: log, format: .binary) { sink.bytes += $0 }.run()
        try Data(sink.bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Encodes the fact as the service would, with a request's mark on every third event.
    private static func stored(_ fact: Fact) throws -> NewEvent {
        let number = UInt128(fact.position)
        let mark = fact.position % 3 == 0 ? RequestMark(request: number << 64 | 1, digest: number << 64 | 2) : nil
        return try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: mark)
    }

    /// A memory buffer that a log is exported to and imported from.
    private final class Source {
        var bytes: [UInt8]
        private var read = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func take(_ count: Int) -> [UInt8] {
            defer { read = min(read + count, bytes.count) }
            return Array(bytes[read..<min(read + count, bytes.count)])
        }
    }
}
