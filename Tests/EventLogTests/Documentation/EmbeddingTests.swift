import EventLog
import Foundation
import Testing

/// The examples of the landing page, compiled and run as it stands there.
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

    @Test func theExampleOfDecidingAndFollowingRuns() async throws {
        let log = try Sandbox().open()
        let now = Timestamp(microseconds: 1_700_000_000_000_000)
        let ada = card(0xADA)
        // second example begins
        let writer = LogWriter(log)
        let read = try log.read(.tags(ada))
        if read.events.count < 10 {
            let condition = AppendCondition(failIfEventsMatch: .tags(ada), after: read.head)
            try await writer.append([NewEvent(type: EventType(1), time: now, tags: [ada])], unless: condition)
        }
        for try await sold in try log.subscribe(to: .types(EventType(1)), after: read.head) {
            print("just sold:", sold.position)
            if sold.position == log.head { break }
        }
        // second example ends
        #expect(log.head == Position(1))
        stop(writer)
    }

    /// `stop` is for plain threads.
    private func stop(_ writer: LogWriter) { writer.stop() }

    @Test func theExamplesAreThoseOfTheLandingPage() throws {
        let here = URL(fileURLWithPath: #filePath)
        var root = here
        for _ in 1...4 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Sources/EventLog/EventLog.docc/EventLog.md"), encoding: .utf8)
        let test = try String(contentsOf: here, encoding: .utf8)
        let shown = blocks(page)
        #expect(shown.map(\.count) == [10, 10])
        #expect(shown == [lines(test, "// example"), lines(test, "// second example")])
    }

    /// The lines of a test between two marks.
    private func lines(_ text: String, _ mark: String) -> [String] {
        Array(trimmed(text).drop { $0 != mark + " begins" }.dropFirst().prefix { $0 != mark + " ends" })
    }

    /// The Swift of a page, block by block.
    private func blocks(_ page: String) -> [[String]] {
        var (rest, blocks) = (trimmed(page)[...], [[String]]())
        while let start = rest.firstIndex(of: "```swift") {
            rest = rest[(start + 1)...]
            let block = rest.prefix { $0 != "```" }
            blocks.append(Array(block))
            rest = rest.dropFirst(block.count)
        }
        return blocks
    }

    private func trimmed(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
