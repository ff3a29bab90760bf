import EventLog
import Foundation
import LMDB
import Testing

@Suite(.temporaryFolder) struct OpeningTests {
    private func code(_ body: () throws -> Void) -> EventLogError? { #expect(throws: EventLogError.self) { try body() } }

    @Test("A missing folder is reported as missing, with a remedy")
    func aFolderThatIsNotThereIsMissingForReading() throws {
        let sandbox = try Sandbox()
        let error = code { _ = try sandbox.open(.readOnly) }
        #expect(error?.code == .missing)
        #expect(error?.remedy.isEmpty == false && error?.description.contains(sandbox.log) == true)
    }

    @Test("Events and the time of creation are the same after a reopening")
    func everythingComesBackAfterReopening() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened, card(1), payload: [1, 2]), event(.stamped, card(1))])
        let log = try sandbox.open(created: 42)
        #expect(log.head == Position(2))
        #expect(log.created == Timestamp(microseconds: 1_700_000_000_000_000), "the first opener gives the creation time")
        #expect(try log.event(at: Position(1))?.event == event(.opened, card(1), payload: [1, 2]))
        let appender = try log.appender()
        #expect(try appender.stage(event(.closed, card(1))) == Position(3))
    }

    @Test("Another program's environment is refused and stays unchanged")
    func anotherProgramsEnvironmentIsRefusedAndLeftAlone() throws {
        let sandbox = try Sandbox()
        do {
            let environment = try Environment(directory: sandbox.log, access: .readWrite)
            let table = try environment.table("somebody", .bytes)
            var transaction = try environment.write()
            let (key, value): ([UInt8], [UInt8]) = ([1], [2])
            try transaction.put(table, key.span, value.span)
            try transaction.commit()
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: sandbox.log + "/data.mdb"))
        for access in [EventLog.Access.readOnly, .readWrite] {
            #expect(code { _ = try sandbox.open(access) }?.code == .notALog)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: sandbox.log + "/data.mdb")) == before)
    }

    @Test("A file that is no environment is no log")
    func aFileThatIsNoEnvironmentIsNoLog() throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.log, withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 20_000).write(to: URL(fileURLWithPath: sandbox.log + "/data.mdb"))
        for access in [EventLog.Access.readOnly, .readWrite] {
            #expect(code { _ = try sandbox.open(access) }?.code == .notALog)
        }
    }

    @Test("A creation that ended before the description was stored is completed")
    func aCreationThatWasCutShortIsDoneAgain() throws {
        let sandbox = try Sandbox()
        do {
            let environment = try Environment(directory: sandbox.log, access: .readWrite)
            _ = try environment.table("meta", .bytes)
        }
        let log = try sandbox.open()
        #expect(log.head == .start)
        try log.appender().stage(event(.opened))
    }

    @Test("A log of a later format is refused as such")
    func aLaterFormatIsRefusedByName() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened)])
        do {
            let environment = try Environment(directory: sandbox.log, access: .readWrite)
            let meta = try environment.table("meta", .bytes)
            var transaction = try environment.write()
            let (key, value): ([UInt8], [UInt8]) = (Array("format".utf8), [2, 0, 0, 0])
            try transaction.put(meta, key.span, value.span)
            try transaction.commit()
        }
        for access in [EventLog.Access.readOnly, .readWrite] {
            #expect(code { _ = try sandbox.open(access) }?.code == .formatTooNew)
        }
    }

    @Test("A second opening for writing is refused")
    func twoOpenersForWritingAreRefused() throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open()
        let error = code { _ = try sandbox.open() }
        #expect(error?.code == .storage && error?.storage != nil)
        #expect(log.head == .start)
    }

    @Test("A log that is open for reading gives no appender")
    func aReaderInTheSameProcessCannotAppend() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened, card(1)), event(.noted, card(2)), event(.closed, card(1))])
        let log = try sandbox.open(.readOnly)
        #expect(code { _ = try log.appender() }?.code == .readOnly)
        #expect(log.head == Position(3))
        #expect(try log.positions(matching: .tags(card(1))).map(\.rawValue) == [1, 3])
        #expect(try log.positions(matching: .tags(card(1)), backwards: true, limit: 1).map(\.rawValue) == [3])
        #expect(try log.lastPosition(of: card(1), type: .opened) == Position(1))
        #expect(try log.lastPosition(of: card(5)) == nil)
    }
}
