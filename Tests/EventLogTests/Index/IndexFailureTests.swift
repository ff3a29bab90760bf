import Foundation
import LMDB
import Patience
import Synchronization
import Testing

@testable import EventLog

/// Tests failures to store runs, the data files of the index. The writer continues, memory stays bounded, every answer stays exact, and the
/// index catches up later.
@Suite(.temporaryFolder) struct IndexFailureTests {
    /// Creates a folder under each of the next file names of the index, so that the system refuses to create the files. If `isBlocked` is
    /// false, removes the folders.
    private func block(_ sandbox: Sandbox, _ isBlocked: Bool) throws {
        for number in 1...400 {
            let path = "\(sandbox.index)/run-\(number)"
            let kind = FileKind(at: path)
            if isBlocked && kind == nil {
                try FileManager.default.createDirectory(atPath: path + "/in the way", withIntermediateDirectories: true)
            } else if !isBlocked && kind == .folder {
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    private func options() -> EventLog.Options {
        var options = EventLog.Options.tiny(flush: 20, stall: 40)
        options.indexMemoryEvents = 100
        options.indexRetryMilliseconds = 1
        return options
    }

    private func append(_ events: Range<UInt64>, to appender: Appender) throws {
        for number in events {
            try appender.stage(event(number % 2 == 0 ? .stamped : .closed, card(UInt128(number)), shop(UInt128(number % 3))))
            if number % 7 == 6 { try appender.commit() }
        }
        try appender.commit()
    }

    private func expectAnswers(_ log: some EventSource, through last: UInt64) throws {
        #expect(log.head == Position(last))
        for number in 0..<last {
            #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number + 1))
            #expect(try log.lastPosition(of: card(UInt128(number)), type: number % 2 == 0 ? .closed : .stamped) == nil)
        }
        for number: UInt64 in 0..<3 {
            let wanted = stride(from: number, to: last, by: 3).map { Position($0 + 1) }
            #expect(try log.positions(matching: .tags(shop(UInt128(number)))) == wanted)
            let newest = try log.positions(matching: .tags(shop(UInt128(number))), after: .start, through: .max, backwards: true, limit: 5)
            #expect(newest == Array(wanted.reversed().prefix(5)))
            let both = Query.tags(shop(UInt128(number)), card(UInt128(last - 3 + number)))
            #expect(try log.positions(matching: both).count == ((last - 3 + number) % 3 == number ? 1 : 0))
        }
    }

    @Test("Failing flushes of the index stop no append and lose no answer")
    func failingFlushesStopNobodyAndLoseNothing() throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open(options: options())
        try block(sandbox, true)
        let appender = try log.appender()
        try append(0..<600, to: appender)
        try expectAnswers(log, through: 600)
        try expectAnswers(appender, through: 600)
        let status = try #require(log.indexStatus)
        #expect(status.failure != nil && status.failures > 0)
        #expect(status.memoryEvents <= 200 && status.scannedEvents >= 400, "the index's memory is bounded: \(status)")
        try block(sandbox, false)
        let index = try #require(log.index)
        // The flusher retries without being called. The loop appends new events until the index has caught up.
        for number: UInt64 in 600..<100_000 {
            try append(number..<number + 1, to: appender)
            if index.status.scannedEvents == 0 && index.status.failure == nil { break }
        }
        #expect(index.status.scannedEvents == 0 && index.status.failure == nil)
        try expectAnswers(log, through: log.head.rawValue)
        try log.close()
        #expect(log.indexStatus?.covered == log.head)
    }

    /// While the index cannot store runs, more events are staged than the writer adds at once. When runs can be stored again, the index
    /// adds the events of the log, and has nothing left to do until the staged events are committed.
    @Test("Events that were staged while runs could not be stored are indexed after their commit")
    func stagedEventsAreIndexedLater() throws {
        let sandbox = try Sandbox()
        let log = try sandbox.open(options: options())
        let index = try #require(log.index)
        try block(sandbox, true)
        let appender = try log.appender()
        try append(0..<300, to: appender)
        let staged = UInt64(2 * LogLimits.indexReplayedAtOnce)
        for number in 300..<300 + staged { try appender.stage(event(.stamped, card(UInt128(number)))) }
        try block(sandbox, false)
        try eventually("the stored events are indexed, and the flusher has nothing left to do") {
            let levels = index.keeper.withLock { $0.runs.map(\.level) }
            let status = index.status
            return Set(levels).count == levels.count && status.scannedEvents == 0 && status.failure == nil && status.memoryEvents < 20
        }
        try appender.commit()
        try eventually("the staged events are indexed") { index.status.scannedEvents == 0 }
        let last = 300 + staged
        for number in last - 5..<last { #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number + 1)) }
        try log.close()
    }

    @Test("An index that cannot be written at the opening gives exact answers")
    func aFailureAtTheStartDoesNotStopIt() throws {
        let sandbox = try Sandbox()
        do {
            let first = try sandbox.open(options: options())
            try append(0..<1, to: first.appender())
            try first.close()
        }
        try sandbox.copy(sandbox.index, over: sandbox.path + "/old")
        do {
            let second = try sandbox.open(options: options())
            try append(1..<300, to: second.appender())
            try second.close()
        }
        try sandbox.copy(sandbox.path + "/old", over: sandbox.index)
        try block(sandbox, true)
        let log = try sandbox.open(options: options())
        try expectAnswers(log, through: 300)
        #expect(throws: EventLogError.self) { try log.close() }
    }

    /// The index has no room for the last events at the opening. The writer adds them before its next round, and finds that one is damaged.
    @Test("If the index meets a damaged record, the requests of that round are refused and none waits for ever")
    func damageBeforeARound() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.stamped, card(0))], options: options())
        try sandbox.copy(sandbox.index, over: sandbox.path + "/old")
        try sandbox.append((1..<240).map { event(.stamped, card($0)) }, options: options())
        try sandbox.copy(sandbox.path + "/old", over: sandbox.index)
        try DamageTests().damage(sandbox, with: [9], at: 235)
        try block(sandbox, true)
        let log = try sandbox.open(options: options())
        let writer = GroupCommit(log: log, onFailure: { _ in }) { GroupCommitTests.Once(appender: $0) }
        writer.start()
        try block(sandbox, false)
        let answered = ThreadSemaphore()
        let refusal = Mutex<GroupCommitRefusal?>(nil)
        var isRefused = false
        for number: UInt64 in 1_000..<1_000_000 where !isRefused {
            writer.offer(number) { outcome in
                if case .failure(let reason) = outcome { refusal.withLock { $0 = reason } }
                answered.signal()
            }
            try #require(answered.wait(seconds: 60), "request \(number) got no answer")
            isRefused = refusal.withLock { $0 == .stopped }
        }
        #expect(isRefused)
        writer.stop()
        #expect((writer.failure as? EventLogError)?.code == .damaged)
    }

    /// A folder with the name of the merged run's file makes the merge fail.
    @Test("A failed merge is retried")
    func aMergeThatFailsIsMadeAgain() throws {
        let runs = try StoredRuns(factor: 2)
        for number in 0..<2 {
            var part = MemoryPart(first: UInt64(number * 100 + 1))
            for position in part.first..<part.first + 100 { try part.insert([card(UInt128(position))], at: position) }
            try runs.flush(part)
        }
        let next = runs.path + "/run-3"
        try FileManager.default.createDirectory(atPath: next + "/in the way", withIntermediateDirectories: true)
        #expect(throws: EventLogError.self) { try runs.settle() }
        #expect(try runs.store.newest(of: card(150), type: nil, through: 200) == 150)
        try? FileManager.default.removeItem(atPath: next)
        try runs.settle()
        try runs.expectTidy(factor: 2)
        #expect(try runs.store.newest(of: card(50), type: nil, through: 200) == 50)
    }
}
