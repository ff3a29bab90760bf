import EventLog
import Foundation
import Testing

/// Logs for tests and experiments, which leave nothing behind.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct TemporaryLogTests {
    /// Creates a temporary log in the folder `parent`.
    private func log(in parent: String) throws -> EventLog { try .temporary(schema: .forTests, in: parent) }

    private func content(of folder: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

    @Test("A temporary log stores events and finds them") func stores() async throws {
        let log = try log(in: Sandbox().path)
        try await log.withWriter { try await $0.append([event(.opened, card(1)), event(.opened, card(2))]) }
        #expect(try log.positions(matching: .tags(card(2))) == [Position(2)])
        #expect(try log.root() != log.root(through: .start))
        try log.close()
    }

    @Test("Closing a temporary log removes its folder and nothing else") func closing() throws {
        let parent = try Sandbox().path
        let (first, second) = (try log(in: parent), try log(in: parent))
        #expect(try content(of: parent).count == 3)
        try first.close()
        #expect(try content(of: parent).count == 2)
        try second.close()
        #expect(try content(of: parent) == ["derived"])
        #expect(first.head == .start && second.head == .start)
    }

    @Test("Releasing a temporary log removes its folder") func releasing() throws {
        let parent = try Sandbox().path
        do { #expect(try log(in: parent).head == .start) }
        #expect(try content(of: parent) == ["derived"])
    }

    @Test("A temporary log that cannot be opened leaves no folder") func failing() throws {
        let parent = try Sandbox().path
        var options = EventLog.Options()
        options.origin = "not an origin"
        #expect(throws: EventLogError.self) { try EventLog.temporary(schema: .forTests, in: parent, options: options) }
        #expect(try content(of: parent) == ["derived"])
        let error = #expect(throws: EventLogError.self) { try EventLog.temporary(schema: .forTests, in: parent + "/nowhere") }
        #expect(error?.code == .io)
    }

    @Test("A log that is not temporary stays when it is closed") func others() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened)])
        #expect(try sandbox.open(.readOnly).head == Position(1))
    }
}
