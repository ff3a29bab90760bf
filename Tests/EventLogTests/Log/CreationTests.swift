import EventLog
import Foundation
import Testing

/// A log is created completely or not at all, and an existing one is never created again.
@Suite(.temporaryFolder) struct CreationTests {
    /// An interrupted creation may leave a file in its temporary folder that is empty, or whose content has not reached the disk.
    @Test("An interrupted creation is begun again", arguments: [0, 1, 100, 4_096, 12_288])
    func whatACutCreationLeftIsBegunAgain(bytes: Int) throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.log + "/new", withIntermediateDirectories: true)
        try Data(repeating: 0, count: bytes).write(to: URL(filePath: sandbox.log + "/new/data.mdb"))
        let log = try sandbox.open(created: 77)
        #expect(log.head == .start && log.created == Timestamp(microseconds: 77))
        #expect(!FileManager.default.fileExists(atPath: sandbox.log + "/new"))
        try log.close()
    }

    @Test("An existing log is not created again")
    func aLogThatIsThereIsNeverMadeAgain() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.stamped, card(1))])
        try FileManager.default.createDirectory(atPath: sandbox.log + "/new", withIntermediateDirectories: true)
        let log = try sandbox.open(created: 99)
        #expect(log.head == Position(1) && log.created != Timestamp(microseconds: 99))
        try log.close()
    }

    @Test("A file of zeros under the log's name is refused and kept")
    func aFileOfZerosUnderTheLogsOwnNameIsNotThrownAway() throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.log, withIntermediateDirectories: true)
        try Data(repeating: 0, count: 8_192).write(to: URL(filePath: sandbox.log + "/data.mdb"))
        #expect(throws: EventLogError.self) { try sandbox.open() }
        #expect(try Data(contentsOf: URL(filePath: sandbox.log + "/data.mdb")).count == 8_192)
    }
}
