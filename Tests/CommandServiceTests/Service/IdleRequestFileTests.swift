import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService
@testable import Composition

/// The ring buffer on disk for the idempotency keys of requests that changed nothing. Its size is bounded, and a damaged entry is ignored.
@Suite struct IdleRequestFileTests {
    private static let log = Timestamp(microseconds: 1_700_000_000_000_000)

    private func entry(_ number: Int) -> IdleRequestFile.Entry {
        IdleRequestFile.Entry(
            request: UInt128(number) << 64 | 7, digest: UInt128.max - UInt128(number), position: UInt64(number),
            at: HandClock.start.advanced(bySeconds: Int64(number)))
    }

    @Test("Stored entries are read again in their order")
    func readsAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/ring"
        var (file, none) = try IdleRequestFile.open(path, log: Self.log)
        #expect(none.isEmpty)
        for number in 1...5 { try file.add(entry(number)) }
        try file.close()
        var (again, entries) = try IdleRequestFile.open(path, log: Self.log)
        #expect(entries == (1...5).map(entry))
        try again.add(entry(6))
        try again.close()
        #expect(try IdleRequestFile.open(path, log: Self.log).entries == (1...6).map(entry))
        #expect(try IdleRequestFile.open(path, log: Timestamp(microseconds: 1)).entries.isEmpty, "entries of another log are ignored")
    }

    @Test("The file never grows beyond its slots and keeps the newest entries")
    func isBounded() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/ring"
        var (file, _) = try IdleRequestFile.open(path, log: Self.log)
        let count = IdleRequestFile.slots + 100
        for number in 1...count { try file.add(entry(number)) }
        try file.close()
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size == IdleRequestFile.slots * IdleRequestFile.entryBytes)
        #expect(try IdleRequestFile.open(path, log: Self.log).entries == (101...count).map(entry))
    }

    @Test("A truncated entry and one with a flipped bit are skipped, and the rest is read")
    func damage() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/ring"
        var (file, _) = try IdleRequestFile.open(path, log: Self.log)
        for number in 1...3 { try file.add(entry(number)) }
        try file.close()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[IdleRequestFile.entryBytes + 20] ^= 1
        try Data(bytes.dropLast(30)).write(to: URL(fileURLWithPath: path))
        #expect(try IdleRequestFile.open(path, log: Self.log).entries == [entry(1)])
    }

    @Test("An entry whose event a crash lost does not count again when another event has its position")
    func lostPosition() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(folder.path)
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Self.log)
        defer { try? log.close() }
        let (mark, clock) = (RequestMark(request: 1, digest: 2), HandClock())
        func isKnownAtStart() throws -> Bool {
            let requests = try IdleRequests(clock: clock, path: data.idleRequests, of: log)
            defer { requests.close() }
            return requests.find(mark) != nil
        }
        // The request was noted with the position of an event that was staged before it and never stored.
        let crashed = try IdleRequests(clock: clock, path: data.idleRequests, of: log)
        try crashed.note(mark, at: Position(1))
        crashed.close()
        #expect(try !isKnownAtStart())
        let appender = try log.appender()
        let event = LoyaltyEvent.accountRegistered(
            AccountRegistered(account: AccountID(1), phone: Secret(1), sealedPhone: Sealed([1])))
        try appender.stage([LoyaltyCodec.encode(event, by: AccountID(1), at: HandClock.start, mark: nil)])
        try appender.commit()
        #expect(log.head == Position(1))
        #expect(try !isKnownAtStart())
    }

    @Test("After a claim, no request of an earlier term is known, in memory or in the file, and new ones are kept")
    func forgetting() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(folder.path)
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Self.log)
        defer { try? log.close() }
        let marks = (1...5).map { RequestMark(request: UInt128($0), digest: 2) }
        let requests = try IdleRequests(clock: HandClock(), path: data.idleRequests, of: log)
        for mark in marks { try requests.note(mark, at: log.head) }
        try requests.forgetAll()
        #expect(marks.allSatisfy { requests.find($0) == nil })
        #expect(try IdleRequestFile.open(data.idleRequests, log: Self.log).entries.isEmpty)
        try requests.note(marks[4], at: log.head)
        requests.close()
        let again = try IdleRequests(clock: HandClock(), path: data.idleRequests, of: log)
        defer { again.close() }
        #expect(marks.map { again.find($0) != nil } == [false, false, false, false, true])
    }

    @Test("The time at which a request was accepted is known after a restart")
    func timeOfARequest() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(folder.path)
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Self.log)
        defer { try? log.close() }
        let (mark, clock) = (RequestMark(request: 1, digest: 2), HandClock())
        for _ in 1...2 {
            let requests = try IdleRequests(clock: clock, path: data.idleRequests, of: log)
            defer { requests.close() }
            if requests.find(mark) == nil { try requests.note(mark, at: log.head) }
            clock.move(bySeconds: 60)
            #expect(requests.find(mark)?.time == HandClock.start)
        }
    }

    @Test("The newest entries stay when the clock was set back before a restart")
    func clockSetBack() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/ring"
        // The first entry was made while the clock was fast.
        for numbers in [[9], [1, 2], [3]] {
            var (file, _) = try IdleRequestFile.open(path, log: Self.log)
            for number in numbers { try file.add(entry(number)) }
            try file.close()
        }
        #expect(try IdleRequestFile.open(path, log: Self.log).entries.map(\.request) == [9, 1, 2, 3].map { entry($0).request })
    }
}
