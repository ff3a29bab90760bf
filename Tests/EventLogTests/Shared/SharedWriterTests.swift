import Seeds
import SharedLogs
import Synchronization
import Testing

@testable import EventLog

/// The writer's two threads over a shared log.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct SharedWriterTests {
    private func log(over engine: MemorySharedLog) throws -> (EventLog, SharedCommit) {
        let commit = SharedCommit(engine)
        try commit.claim(as: .a, at: .start, root: .ofNothing)
        var options = EventLog.Options.tiny(flush: 50)
        options.durability = commit
        return (try Sandbox().open(options: options), commit)
    }

    @Test("A rejection is not sent by a writer that another one has replaced")
    func rejectionAfterATakeover() async throws {
        let engine = MemorySharedLog()
        let (log, _) = try log(over: engine)
        let failures = GroupCommitTests.Failures()
        let writer = GroupCommit(log: log, onFailure: { failures.note($0) }) { GroupCommitTests.Once(appender: $0) }
        writer.start()
        #expect(try await writer.submit(1).get() == Position(1))
        #expect((try? await writer.submit(1).get()) == nil, "a rejection")
        #expect(failures.all.isEmpty)
        try SharedCommit(engine).claim(as: .b, at: log.head, root: log.root())
        await #expect(throws: GroupCommitRefusal.stopped) { _ = try await writer.submit(1) }
        stop(writer)
        #expect(failures.all.count == 1 && failures.all[0].contains("superseded"), "\(failures.all)")
    }

    @Test("An entry ends when its events have filled it, and no decision is divided")
    func entrySizes() async throws {
        let engine = MemorySharedLog()
        let (log, _) = try log(over: engine)
        let payload = [UInt8](repeating: 7, count: 9_000)
        let ranges = try await log.withWriter { writer in
            try await withThrowingTaskGroup(of: ClosedRange<Position>.self) { group in
                for task in 0..<200 {
                    group.addTask {
                        try await writer.append((0..<3).map { _ in event(.stamped, card(UInt128(task)), payload: payload) })
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(ranges.count == 200 && log.head == Position(600))
        // The entry was not full before its last decision.
        for entry in engine.entries { #expect(entry.batch.byteCount < LogLimits.entryBytesMax + 3 * 9_100, "\(entry)") }
        let ends = Set(engine.entries.map(\.last))
        for range in ranges {
            #expect(range.upperBound == range.lowerBound.next.next)
            #expect(!ends.contains(range.lowerBound) && !ends.contains(range.lowerBound.next), "a divided decision")
        }
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: log)
    }

    @Test("A decision that no entry can hold is refused, and leaves nothing")
    func tooLargeADecision() async throws {
        let engine = MemorySharedLog()
        let (log, _) = try log(over: engine)
        let events = (0..<20).map { _ in event(.stamped, card(1), payload: [UInt8](repeating: 7, count: 60_000)) }
        try await log.withWriter { writer in
            let error = await #expect(throws: EventLogError.self) { try await writer.append(events) }
            #expect(error?.code == .recordTooLarge)
            let range = try await writer.append([event(.opened, card(1))])
            #expect(range == Position(1)...Position(1))
        }
        #expect(engine.entries.count == 1)
    }

    @Test("Over a network that loses, delays and doubles requests, each acknowledged append is in the shared log once")
    func faults() async throws {
        let random = SeededRandom.announced("sharedWriterFaults"), seed = random.seed
        let engine = MemorySharedLog(failingBy: random)
        let (log, _) = try log(over: engine)
        let (tasks, each) = (24, 25)
        let positions = try await log.withWriter { writer in
            try await withThrowingTaskGroup(of: [(UInt128, Position)].self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        var own: [(UInt128, Position)] = []
                        for number in 0..<each {
                            let id = UInt128(task * each + number)
                            own.append((id, try await writer.append([event(.opened, card(id))]).lowerBound))
                        }
                        return own
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
        }
        engine.deliverLate()
        #expect(log.head == Position(UInt64(tasks * each)), "seed \(seed)")
        for (id, position) in positions { #expect(try log.positions(matching: .tags(card(id))) == [position], "seed \(seed)") }
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: log)
    }

    @Test("A writer that is replaced amid its appends loses no acknowledged one and acknowledges none that is lost", arguments: 0..<8)
    func takeover(_ round: Int) async throws {
        let random = SeededRandom.announced("sharedWriterTakeover \(round)"), seed = random.seed
        let engine = MemorySharedLog(failingBy: random)
        let (log, _) = try log(over: engine)
        let writer = LogWriter(log)
        let acknowledged = await withTaskGroup(of: [Position].self) { group in
            for task in 0..<12 {
                group.addTask {
                    var own: [Position] = []
                    while own.count < 200, let range = try? await writer.append([event(.opened, card(UInt128(task)))]) {
                        own.append(range.lowerBound)
                        if task == 0, own.count == 5 + round { try? claimByAnother(engine) }
                    }
                    return own
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        stop(writer)
        engine.deliverLate()
        let stored = try #require(engine.heads.last?.position)
        #expect(engine.heads.last?.writer == .b, "seed \(seed)")
        #expect(Set(acknowledged).count == acknowledged.count && acknowledged.allSatisfy { $0 <= stored }, "seed \(seed)")
        #expect(log.head <= stored && (acknowledged.max() ?? .start) <= log.head, "seed \(seed)")
        expectUnbrokenChain(engine)
        let other = try Node(.b, engine)
        try other.catchUp()
        #expect(try other.log.root(through: log.head) == log.root(), "seed \(seed)")
    }

    /// Claims as a node does that follows closely, until it is fast enough.
    private func claimByAnother(_ engine: MemorySharedLog) throws {
        for _ in 0..<10_000 {
            guard let head = engine.heads.last else { return }
            do throws(EventLogError) {
                try SharedCommit(engine).claim(as: .b, at: head.position, root: head.root)
                return
            } catch { if error.code != .superseded { throw error } }
        }
    }

    /// Calls `stop` for an asynchronous test, which cannot call it directly.
    private func stop(_ writer: GroupCommit<GroupCommitTests.Once>) { writer.stop() }

    private func stop(_ writer: LogWriter) { writer.stop() }
}
