import EventLog
import Foundation
import Testing

/// A log that the first version wrote. Every later version must open it.
///
/// `GREENTEA_RECORD=1 swift test --filter OldLog` writes the file of this log if it is missing. An existing file is never changed.
@Suite(.temporaryFolder) struct OldLogTests {
    private static let file = RecordGoldenTests.folder + "/log-1.mdb"

    private static let events = (1...40).map { number in
        NewEvent(
            type: number % 4 == 0 ? .closed : .stamped, schemaVersion: UInt16(number), time: Timestamp(microseconds: Int64(number) * 1_000),
            actor: UInt128(number) << 100, tags: [card(UInt128(number % 3)), shop(7), Tag(.digest, UInt128(number))],
            payload: [UInt8](repeating: UInt8(number), count: number))
    }

    static func restored() throws -> Sandbox {
        let sandbox = try Sandbox()
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1", !FileManager.default.fileExists(atPath: Self.file) {
            try sandbox.append(Self.events)
            try FileManager.default.copyItem(atPath: sandbox.log + "/data.mdb", toPath: Self.file)
            try FileManager.default.removeItem(atPath: sandbox.index)
        } else {
            try FileManager.default.createDirectory(atPath: sandbox.log, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Self.file, toPath: sandbox.log + "/data.mdb")
        }
        return sandbox
    }

    @Test("A log of the first version opens and answers queries", arguments: [EventLog.Access.readOnly, .readWrite])
    func anOldLogOpensAndAnswers(_ access: EventLog.Access) throws {
        let log = try Self.restored().open(access, created: 1)
        #expect(log.created == Timestamp(microseconds: 1_700_000_000_000_000))
        #expect(log.head == Position(40))
        #expect(try log.events(matching: .all).map(\.event) == Self.events.map(\.normalized))
        #expect(try log.positions(matching: .tag(card(0), types: .closed)).map(\.rawValue) == [12, 24, 36])
        #expect(log.name(of: EventType.closed) == "Closed" && log.name(of: TagKind.digest) == "digest")
    }

    @Test("A log of the first version takes new events")
    func anOldLogGoesOn() throws {
        let sandbox = try Self.restored()
        try sandbox.append([event(.noted, card(2))])
        let log = try sandbox.open()
        #expect(log.head == Position(41))
        #expect(try log.lastPosition(of: card(2)) == Position(41))
    }
}
