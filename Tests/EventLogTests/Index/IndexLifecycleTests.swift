import Foundation
import Seeds
import Synchronization
import Testing

@testable import EventLog

/// Queries must give the same answers whether the index was deleted, is outdated or current, belongs to another log, or is damaged.
@Suite(.temporaryFolder) struct IndexLifecycleTests {
    /// Fills a new sandbox with `count` events, closes its log, and returns the sandbox with the expected answers.
    private func filled(_ count: Int, seed: UInt64, options: EventLog.Options = .tiny(flush: 10)) throws -> (Sandbox, Oracle) {
        var history = RandomHistory(generator: SeededRandom(seed: seed))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(count))
        try sandbox.append(oracle.events, options: options)
        return (sandbox, oracle)
    }

    private func expectAnswers(_ log: EventLog, _ oracle: Oracle, _ comment: Comment? = nil) throws {
        var history = RandomHistory(generator: SeededRandom(seed: 99))
        #expect(log.head.rawValue == UInt64(oracle.events.count), comment)
        for _ in 0..<60 {
            let query = history.query()
            let expected = oracle.positions(query, after: 0, through: .max, backwards: false, limit: .max)
            #expect(try log.positions(matching: query) == expected, comment)
        }
    }

    @Test("A deleted index is made again")
    func aDeletedIndexComesBack() throws {
        let (sandbox, oracle) = try filled(95, seed: 1)
        try sandbox.deleteIndex()
        try expectAnswers(sandbox.open(options: .tiny(flush: 10)), oracle)
    }

    @Test("A reopened index gives the same answers, whatever its flush size")
    func aReopenedIndexIsKept() throws {
        let (sandbox, oracle) = try filled(95, seed: 2)
        try expectAnswers(sandbox.open(), oracle)
        try expectAnswers(sandbox.open(options: .tiny(flush: 1)), oracle)
    }

    @Test("An index that is behind the log catches up")
    func anIndexThatStayedBehindCatchesUp() throws {
        var (sandbox, oracle) = try filled(50, seed: 3)
        try sandbox.copy(sandbox.index, over: sandbox.path + "/old")
        var history = RandomHistory(generator: SeededRandom(seed: 4))
        let more = history.events(40)
        try sandbox.append(more)
        oracle.events += more
        try sandbox.copy(sandbox.path + "/old", over: sandbox.index)
        try expectAnswers(sandbox.open(options: .tiny(flush: 7)), oracle)
    }

    @Test("An index that is ahead of the log is made again")
    func anIndexAheadOfTheLogIsMadeAgain() throws {
        let (sandbox, oracle) = try filled(50, seed: 5)
        try sandbox.copy(sandbox.log, over: sandbox.path + "/backup")
        var history = RandomHistory(generator: SeededRandom(seed: 6))
        try sandbox.append(history.events(40))
        try sandbox.copy(sandbox.path + "/backup", over: sandbox.log)
        try expectAnswers(sandbox.open(), oracle)
    }

    /// The most dangerous case: the log was restored from a backup, and then continued with different events until it had more events than
    /// the index covers.
    @Test("An index of another history of the same log is made again")
    func anIndexOfAnotherHistoryOfTheSameLogIsMadeAgain() throws {
        var (sandbox, oracle) = try filled(50, seed: 7)
        try sandbox.copy(sandbox.log, over: sandbox.path + "/backup")
        var history = RandomHistory(generator: SeededRandom(seed: 8))
        try sandbox.append(history.events(20))
        try sandbox.copy(sandbox.index, over: sandbox.path + "/foreign")
        try sandbox.copy(sandbox.path + "/backup", over: sandbox.log)
        let other = history.events(30)
        try sandbox.append(other)
        oracle.events += other
        try sandbox.copy(sandbox.path + "/foreign", over: sandbox.index)
        try expectAnswers(sandbox.open(), oracle)
    }

    @Test("An index of another log is made again")
    func anIndexOfAnotherLogIsMadeAgain() throws {
        let (sandbox, oracle) = try filled(50, seed: 9)
        let other = try Sandbox()
        let log = try other.open(created: 5)
        let appender = try log.appender()
        try appender.stage(
            oracle.events.map { event in
                var event = event
                event.tags = [card(1)]
                return event
            })
        try appender.commit()
        try log.close()
        try sandbox.copy(other.index, over: sandbox.index)
        try expectAnswers(sandbox.open(), oracle)
    }

    @Test("Old events are found by a kind that becomes indexed")
    func aKindThatBecomesIndexedIsFound() throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.noted, Tag(.digest, 7)), event(.noted, Tag(.digest, 8))])
        var kinds = Schema.forTests.tagKinds
        kinds[.digest] = TagKindRule(name: "digest")
        let schema = Schema(types: Schema.forTests.types, tagKinds: kinds)
        let log = try sandbox.open(schema: schema)
        #expect(try log.positions(matching: .tags(Tag(.digest, 8))) == [Position(2)])
    }

    @Test("An index with a broken file is made again", arguments: ["manifest", "run-1"])
    func aBrokenIndexFileIsMadeAgain(_ name: String) throws {
        let (sandbox, oracle) = try filled(95, seed: 10)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: sandbox.index + "/" + name))
        try expectAnswers(sandbox.open(), oracle)
    }

    /// A restart of the machine does not invalidate the index, so the index stores no boot identifier. A crash of the machine cannot lose
    /// files that the manifest names, because they were flushed before.
    @Test("An index from before a restart of the machine is kept")
    func anIndexOfAnotherBootIsKept() throws {
        let (sandbox, oracle) = try filled(95, seed: 12)
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.index)
        #expect(names.allSatisfy { $0 == "manifest" || $0 == "writer.lock" || $0.hasPrefix("run-") })
        let log = try sandbox.open()
        #expect(log.indexStatus?.replayedEvents == 0 && log.indexStatus?.covered == Position(95))
        try expectAnswers(log, oracle)
    }

    @Test("An index that was not closed is completed from the log")
    func anIndexWithoutACloseIsReplayed() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 11))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(64))
        let log = try sandbox.open(options: .tiny(flush: 10))
        let appender = try log.appender()
        for one in oracle.events {
            try appender.stage(one)
            try appender.commit()
        }
        // Copies the state that the process would leave if it were killed here.
        let dead = try Sandbox()
        try dead.copy(sandbox.log, over: dead.log)
        // The index is copied between two steps of the flusher, so that no file is removed meanwhile.
        try log.index?.keeper.withLock { _ in try dead.copy(sandbox.index, over: dead.index) }
        try expectAnswers(dead.open(), oracle, "the process was killed before a close")
        try expectAnswers(log, oracle)
    }
}
