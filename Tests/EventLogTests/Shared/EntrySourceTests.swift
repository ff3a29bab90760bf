import LMDB
import Merkle
import Seeds
import SharedLogs
import Testing

@testable import EventLog

/// Entries that a node makes from its log for a follower.
@Suite(.temporaryFolder) struct EntrySourceTests {
    /// A log with random events.
    private func log(events: Int) throws -> EventLog {
        var history = RandomHistory(generator: .announced("entrySource"))
        let log = try Sandbox().open(options: .tiny(flush: 50))
        let appender = try log.appender()
        try appender.stage(history.events(events))
        try appender.commit()
        return log
    }

    private func entry(_ log: EventLog, after position: UInt64, bytes: Int = .max) throws -> Entry? {
        try log.entry(after: Position(position), bytes: bytes, key: .forTests)
    }

    @Test("Entries of any size lead from the empty log to an equal one", arguments: [-1, 0, 121, 300, 5_000, 100_000, Int.max])
    func chain(_ bytes: Int) throws {
        let (log, other) = (try log(events: 1_500), try Sandbox().open(options: .tiny(flush: 50)))
        let appender = try other.appender()
        var count = 0
        while let entry = try entry(log, after: other.head.rawValue, bytes: bytes) {
            #expect(entry.term == 0)
            #expect(entry.bytes.count <= bytes || entry.first == entry.last, "\(entry)")
            try appender.adopt([Entry(entry.bytes, key: .forTests)])
            count += 1
        }
        #expect(bytes <= 121 ? count == 1_500 : count < 1_500)
        try expectEqual(other, log)
    }

    @Test("An entry never exceeds the size of a shared log's largest one")
    func bounded() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        for _ in 0..<40 {
            try appender.stage(event(.noted, card(1), payload: [UInt8](repeating: 7, count: 60_000)))
            try appender.commit()
        }
        let first = try #require(try entry(log, after: 0))
        #expect(first.bytes.count <= LogLimits.sharedBatchBytesMax && first.last == Position(17))
        #expect(first.bytes.count < Entry.bytesMax)
    }

    @Test("At the head there is no entry, and beyond it an error")
    func ends() throws {
        let log = try log(events: 3)
        #expect(try entry(log, after: 3) == nil)
        for position in [4, UInt64.max - 1, .max] {
            #expect(code { _ = try entry(log, after: position) } == .afterBeyondHead, "\(position)")
        }
        let empty = try Sandbox().open()
        #expect(try entry(empty, after: 0) == nil)
    }

    @Test("A follower finds a record that was changed in the log that it reads")
    func changedRecord() throws {
        let log = try log(events: 20)
        let replacement = try #require(try log.recordBytes(at: Position(3)))
        let environment = log.storage.environment
        var transaction = try environment.write()
        try transaction.put(log.storage.events, 7, replacement.span)
        try transaction.commit()
        let other = try Sandbox().open()
        let appender = try other.appender()
        #expect(code { try appender.adopt([try #require(try entry(log, after: 0))]) } == .logMismatch)
        #expect(other.head == .start)
    }

    @Test("A sealed entry whose positions exceed all numbers, or that is larger than any node seals, is refused")
    func hostileSizes() throws {
        let log = try log(events: 5)
        let entry = try #require(try entry(log, after: 0))
        let changes: [(inout [UInt8]) -> Void] = [
            { $0.replaceSubrange(16..<24, with: repeatElement(0xFF, count: 8)) },
            { $0.replaceSubrange(4..<8, with: repeatElement(0xFF, count: 4)) },
            { $0.replaceSubrange(16..<24, with: repeatElement(0, count: 8)) },
            { $0.insert(contentsOf: repeatElement(0, count: Entry.bytesMax), at: $0.count - 32) },
        ]
        for change in changes {
            var bytes = entry.bytes
            change(&bytes)
            bytes.replaceSubrange((bytes.count - 32)..., with: EntryKey.forTests.code(of: bytes.dropLast(32)))
            #expect(code { _ = try Entry(bytes, key: .forTests) } == .logMismatch)
        }
    }
}
