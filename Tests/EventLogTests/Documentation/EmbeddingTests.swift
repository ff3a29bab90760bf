import EventLog
import Foundation
import Testing

/// The example of the landing page, compiled and run as it stands there.
@Suite(.temporaryFolder) struct EmbeddingTests {
    @Test func theExampleRuns() throws {
        let folder = try Sandbox().path
        let now = Timestamp(microseconds: 1_700_000_000_000_000)
        // example begins
        let schema = Schema(types: [EventType(1): "CupSold"], tagKinds: [TagKind(1): TagKindRule(name: "customer")])
        let log = try EventLog(directory: folder + "/log", index: folder + "/index", schema: schema, access: .readWrite, created: now)
        let appender = try log.appender()
        let ada = Tag(TagKind(1), 0xADA)
        try appender.stage(NewEvent(type: EventType(1), time: now, tags: [ada], payload: Array("oolong".utf8)))
        try appender.commit()
        for sold in try log.events(matching: .tags(ada)) {
            print(sold.position, String(decoding: sold.event.payload, as: UTF8.self))
        }
        try log.close()
        // example ends
        #expect(try log.events(matching: .tags(ada)).map(\.event.payload) == [Array("oolong".utf8)])
    }

    @Test func theExampleIsThatOfTheLandingPage() throws {
        let here = URL(fileURLWithPath: #filePath)
        var root = here
        for _ in 1...4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Sources/EventLog/EventLog.docc/EventLog.md"), encoding: .utf8)
        let test = try String(contentsOf: here, encoding: .utf8)
        let shown = lines(page, from: "```swift", to: "```")
        #expect(shown.count == 10)
        #expect(shown == lines(test, from: "// example begins", to: "// example ends"))
    }

    private func lines(_ text: String, from first: String, to last: String) -> [String] {
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return Array(lines.drop { $0 != first }.dropFirst().prefix { $0 != last })
    }
}
