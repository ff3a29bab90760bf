import Foundation
import Merkle
import Patience
import Seeds
import SharedLogs
import Testing

@testable import EventLog

/// A follower beside a writer: it shows the same events, resumes after each end, and hands the open log over to a writer.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct LogFollowerTests {
    private let engine = MemorySharedLog()

    private func writer() throws -> Node {
        let node = try Node(.a, engine)
        try node.claim()
        return node
    }

    private func append(_ count: Int, to node: Node, _ history: inout RandomHistory) throws {
        for _ in 0..<count {
            try node.appender.stage(history.events(history.generator.int(1...5)))
            try node.appender.commit()
        }
    }

    @Test("The log of a follower has the records, the tree and the index of the writer's, and of one whose index was made anew")
    func sameLog() async throws {
        let node = try writer(), sandbox = try Sandbox()
        var history = RandomHistory(generator: .announced("followerSameLog"))
        let following = try Following(engine, in: sandbox)
        try append(200, to: node, &history)
        try await following.reaches(node.log.head)
        try expectEqual(following.log, node.log)
        await following.follower.shutDown()
        let copy = try Sandbox()
        try copy.copy(sandbox.log, over: copy.log)
        let rebuilt = try copy.open()
        try expectEqual(following.log, rebuilt)
        for _ in 0..<100 {
            let query = history.query()
            #expect(try following.log.positions(matching: query) == rebuilt.positions(matching: query))
        }
    }

    @Test("A follower of a log that another node makes entries of catches up in pages, and then follows each commit")
    func followsANode() async throws {
        let node = try writer()
        var history = RandomHistory(generator: .announced("followsANode"))
        try append(100, to: node, &history)
        let following = try Following(LogSource(log: node.log, entryBytesMax: 1_000))
        try await following.reaches(node.log.head)
        for _ in 0..<20 {
            try append(1, to: node, &history)
            try await following.reaches(node.log.head)
        }
        try expectEqual(following.log, node.log)
    }

    @Test("A log that ends inside an entry, because another node divided the events otherwise, goes on there")
    func endsInsideAnEntry() async throws {
        let node = try writer(), sandbox = try Sandbox()
        for tag in (0..<3).map({ card($0) }) { try node.append(event(.opened, tag), event(.stamped, tag), event(.closed, tag)) }
        try copy(5, of: node.log, to: sandbox)
        let following = try Following(engine, in: sandbox)
        try await following.reaches(Position(9))
        #expect(following.failures.isEmpty)
        try expectEqual(following.log, node.log)
    }

    /// One event at a time.
    private func copy(_ count: Int, of log: EventLog, to sandbox: Sandbox) throws {
        let (copy, source) = (try sandbox.open(options: .tiny(flush: 5)), LogSource(log: log, entryBytesMax: 1))
        let appender = try copy.appender()
        for _ in 0..<count {
            try appender.adopt(source.entries(after: copy.head, bytes: .max).map { try Entry($0, key: .forTests) })
        }
        #expect(copy.head == Position(UInt64(count)))
    }

    @Test("Subscribers and waiters at a follower get each event as those at the writer")
    func subscribers() async throws {
        let node = try writer()
        let following = try Following(engine)
        let subscription = try following.log.subscribe(to: .tags(card(1)))
        let taken = Task { try await subscription.take(20) }
        let waiting = Task { [log = following.log] in try await log.headSignal.reached(Position(40), timeoutSeconds: patienceSeconds) }
        for number in 0..<20 { try node.append(event(.stamped, card(1), time: Int64(number)), event(.stamped, card(2))) }
        #expect(try await taken.valueInTime() == node.log.events(matching: .tags(card(1))))
        #expect(try await waiting.valueInTime())
        withExtendedLifetime(following) {}
    }

    @Test("Followers that stop at any moment and start again on the reopened log miss and repeat nothing")
    func restarts() async throws {
        let node = try writer(), sandbox = try Sandbox()
        var history = RandomHistory(generator: .announced("followerRestarts"))
        for round in 0..<20 {
            try append(10, to: node, &history)
            let following = try Following(engine, in: sandbox)
            // Some rounds end amid the adoption, some before it, and others after it.
            if round % 3 != 0 { try await following.reaches(Position(UInt64(history.generator.int(0...Int(node.log.head.rawValue))))) }
            await following.follower.shutDown()
            #expect(following.failures.isEmpty)
            if round % 2 == 0 { try following.log.close() }
        }
        let following = try Following(engine, in: sandbox)
        try await following.reaches(node.log.head)
        try expectEqual(following.log, node.log)
    }

    @Test("A writer starts on the open log of a stopped follower, after a claim, and continues the shared log")
    func takeover() async throws {
        let old = try writer()
        for number in 0..<10 { try old.append(event(.opened, card(UInt128(number)))) }
        let commit = SharedCommit(engine)
        var options = EventLog.Options.tiny(flush: 5)
        options.durability = commit
        let following = try Following(engine, options: options)
        let log = following.log
        try await following.reaches(Position(10))
        #expect(code { _ = try log.appender() } == .appenderTaken)
        await following.follower.shutDown()
        try commit.claim(as: .b, at: log.head, root: log.root())
        let failures = GroupCommitTests.Failures()
        let writer = GroupCommit(log: log, onFailure: { failures.note($0) }) { GroupCommitTests.Once(appender: $0) }
        writer.start()
        #expect(try await writer.submit(11).get() == Position(11))
        #expect((try? await writer.submit(3).get()) == nil, "card 3 is known from the old writer")
        #expect(code { try old.append(event(.closed, card(1))) } == .superseded)
        await writer.shutDown()
        #expect(failures.all.isEmpty)
        try await log.withWriter { try await $0.append([event(.closed, card(11))]) }
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: log)
        #expect(try log.positions(matching: .tags(card(11))) == [11, 12].map { Position($0) })
    }

    @Test("A stopped writer's log is followed, and written again after the next claim")
    func handover() async throws {
        let (first, second) = (SharedCommit(engine), SharedCommit(engine))
        var logs: [EventLog] = []
        for commit in [first, second] {
            var options = EventLog.Options.tiny(flush: 5)
            options.durability = commit
            logs.append(try Sandbox().open(options: options))
        }
        for term in 0..<6 {
            let (commit, log, other) = term % 2 == 0 ? (first, logs[0], logs[1]) : (second, logs[1], logs[0])
            let follower = LogFollower(log: other, key: .forTests, from: engine) { Issue.record($0) }
            follower.start()
            try commit.claim(as: term % 2 == 0 ? .a : .b, at: log.head, root: log.root())
            try await log.withWriter { writer in
                for _ in 0..<10 { try await writer.append([event(.stamped, card(UInt128(term)))]) }
            }
            #expect(try await other.headSignal.reached(log.head, timeoutSeconds: patienceSeconds))
            await follower.shutDown()
        }
        try expectEqual(logs[0], logs[1])
        expectUnbrokenChain(engine)
    }

    @Test("The status tells position, answers and how current the log is")
    func status() async throws {
        let node = try writer()
        try node.append(event(.opened, card(1)))
        let isDown = Shared(true)
        let source = ScriptedSource { [engine] _, after throws(EventLogError) in
            if isDown.value { throw EventLogError(.unreachable, "injected") }
            return try engine.entries(after: after, bytes: .max)
        }
        let following = try Following(source)
        try await eventually("the failure is shown") { following.follower.status.failure?.code == .unreachable }
        let before = following.follower.status
        #expect(before.position == .start && before.secondsSinceAnswer == nil && before.secondsBehind == nil && !before.hasFailed)
        isDown.value = false
        try await eventually("the follower has caught up") { following.follower.status.secondsBehind != nil }
        try await following.reaches(Position(1))
        let after = following.follower.status
        #expect(after.position == Position(1) && after.failure == nil && after.secondsSinceAnswer != nil)
        #expect(following.failures.isEmpty)
    }

    @Test("A follower of a log that has an appender reports that, and changes nothing")
    func appenderTaken() async throws {
        let node = try writer()
        let noted = Shared<[EventLogError]>([])
        let follower = LogFollower(log: node.log, key: .forTests, from: engine) { error in noted.update { $0.append(error) } }
        follower.start()
        try await eventually("the follower fails") { !noted.value.isEmpty }
        #expect(noted.value.map(\.code) == [.appenderTaken])
        await follower.shutDown()
        try node.append(event(.opened, card(1)))
    }

    @Test("A follower that was stopped before its start adopts nothing, and keeps no log open")
    func stoppedBeforeItsStart() async throws {
        let sandbox = try Sandbox()
        try await stopAndStart(in: sandbox)
        let log = try sandbox.open()
        #expect(log.head == .start)
    }

    private func stopAndStart(in sandbox: Sandbox) async throws {
        try writer().append(event(.opened, card(1)))
        let follower = LogFollower(log: try sandbox.open(), key: .forTests, from: engine) { Issue.record($0) }
        await follower.shutDown()
        follower.start()
        await follower.shutDown()
    }
}
