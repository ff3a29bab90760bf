import Dispatch
import EventLog
import Foundation
import SharedLogs
import Synchronization
import Testing

/// The two threads of a group commit on a real log: no request is lost, no answer is sent too early, and every request gets an answer.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct GroupCommitTests {
    /// Appends one event with the request as its card number, and answers with the event's position. Rejects a request that it has seen
    /// before.
    struct Once: BatchDecider {
        let appender: Appender

        mutating func decide(_ request: UInt64) -> Result<Position, EventLogError> {
            do throws(EventLogError) {
                let seen = try appender.lastPosition(of: card(UInt128(request)))
                if let seen { throw EventLogError(.conditionFailed, "seen", position: seen) }
                return .success(try appender.stage(event(.opened, card(UInt128(request)))))
            } catch { return .failure(error) }
        }
    }

    private func writer(_ log: EventLog, _ failures: Failures = Failures(), queueLimit: Int = 100_000, batchMax: Int = 64) -> GroupCommit<
        Once
    > {
        GroupCommit(log: log, queueLimit: queueLimit, batchMax: batchMax, onFailure: { failures.note($0) }) { Once(appender: $0) }
    }

    final class Failures: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func note(_ error: any Error) { texts.withLock { $0.append(String(describing: error)) } }
    }

    /// The index's flush limits are so small that the index freezes parts whose last events are not on disk yet.
    @Test("Each of many tasks gets a position of its own", arguments: DurabilityKind.allCases)
    func manyTasksEachGetTheirOwnPositionOnce(_ kind: DurabilityKind) async throws {
        let log = try Sandbox().open(options: kind.options(.tiny(flush: 7, stall: 50)))
        let writer = writer(log)
        writer.start()
        let (tasks, each) = (50, 40)
        let positions = try await withThrowingTaskGroup(of: [Position].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var own: [Position] = []
                    for number in 0..<each {
                        let position = try await writer.submit(UInt64(task * each + number)).get()
                        // An answered event is on disk and readable by every reader.
                        #expect(log.head >= position)
                        #expect(try log.event(at: position)?.event.tags == [card(UInt128(task * each + number))])
                        own.append(position)
                    }
                    return own
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        stop(writer)
        #expect(positions.map(\.rawValue).sorted() == (1...UInt64(tasks * each)).map { $0 })
    }

    /// Each of 40 requests is made by ten callers. One of the ten succeeds, and the others get an error for the duplicate, even in the same
    /// batch.
    @Test("A decision sees the events that earlier ones of its batch staged", arguments: DurabilityKind.allCases)
    func aDecisionSeesWhatTheOnesBeforeItStaged(_ kind: DurabilityKind) async throws {
        let log = try Sandbox().open(options: kind.options(.tiny(flush: 3)))
        let writer = writer(log, batchMax: 8)
        writer.start()
        let outcomes = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for task in 0..<400 {
                group.addTask { (task % 40, (try? await writer.submit(UInt64(task % 40)).get()) != nil) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        stop(writer)
        #expect(outcomes.filter(\.1).map(\.0).sorted() == Array(0..<40))
        #expect(log.head == Position(40))
    }

    @Test("After a failed commit, no caller gets a result", arguments: FaultyDurability.Fault.allCases)
    func afterAFailedCommitNobodyIsToldAResult(_ fault: FaultyDurability.Fault)
        async throws
    {
        let sandbox = try Sandbox()
        let durability = FaultyDurability()
        let failures = Failures()
        var told: [Bool] = []
        do {
            var options = EventLog.Options()
            options.durability = durability
            let log = try sandbox.open(options: options)
            let writer = writer(log, failures, batchMax: 4)
            writer.start()
            #expect(try await writer.submit(1).get() == Position(1))
            durability.failNext(fault)
            told = await withTaskGroup(of: Bool.self) { group in
                for request in 2...50 { group.addTask { (try? await writer.submit(UInt64(request))) != nil } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            stop(writer)
            #expect(log.head == Position(1))
        }
        #expect(told.allSatisfy { !$0 })
        #expect(failures.all.count == 1 && failures.all[0].contains("injected"))
        try expectTruth(in: sandbox, after: fault)
    }

    private func expectTruth(in sandbox: Sandbox, after fault: FaultyDurability.Fault) throws {
        let log = try sandbox.open()
        #expect(fault == .lost ? log.head == Position(1) : log.head > Position(1))
        try log.close()
    }

    @Test("A writer whose decider cannot be made refuses each request")
    func aDeciderThatCannotBeMadeRefusesEverybody() async throws {
        let log = try Sandbox().open()
        let taken = try log.appender()
        let failures = Failures()
        let writer = writer(log, failures)
        writer.start()
        await #expect(throws: GroupCommitRefusal.stopped) { _ = try await writer.submit(1) }
        stop(writer)
        #expect(failures.all.count == 1 && failures.all[0].contains("appenderTaken"))
        #expect(taken.head == .start)
    }

    @Test("An overwritten lock file ends the writer before the next decision, and the next opening has every answered event")
    func overwrittenLockFile() async throws {
        let sandbox = try Sandbox()
        do {
            let log = try sandbox.open()
            let failures = Failures()
            let writer = writer(log, failures)
            writer.start()
            #expect(try await writer.submit(1).get() == Position(1))
            let file = try FileHandle(forUpdating: URL(filePath: sandbox.log + "/lock.mdb"))
            try file.write(contentsOf: Data(count: 4_096))
            await #expect(throws: GroupCommitRefusal.stopped) { _ = try await writer.submit(2) }
            stop(writer)
            #expect(failures.all.count == 1 && failures.all[0].contains("the lock file was overwritten"), "\(failures.all)")
            try file.close()
        }
        let log = try sandbox.open()
        #expect(log.head == Position(1))
        #expect(try log.appender().stage(event(.opened, card(2))) == Position(2))
    }

    @Test("A durable answer is sent while the decider is blocked") func blockedDecider() throws {
        let meeting = BlockedDecider.Meeting()
        var options = EventLog.Options()
        options.durability = meeting
        let log = try Sandbox().open(options: options)
        let writer = GroupCommit(log: log, onFailure: { Issue.record($0) }) { BlockedDecider(appender: $0, meeting: meeting) }
        meeting.offer = { [weak writer] request, resume in writer?.offer(request) { _ in resume() } }
        writer.start()
        meeting.begin()
        #expect(meeting.hasEnded)
        writer.stop()
        #expect(meeting.wasTold, "the answer to request 1 waited for the decision on request 3")
        #expect(log.head == Position(3))
    }

    /// Every request that was accepted before the stop is answered, and the files are closed when the stop returns.
    @Test("Stopping answers each accepted request and closes the files", arguments: DurabilityKind.allCases)
    func stoppingAnswersEverybodyAndLetsTheLogGo(_ kind: DurabilityKind) async throws {
        let sandbox = try Sandbox()
        let answers = try offerAndStop(in: sandbox, kind)
        #expect(answers == 300)
        let again = try sandbox.open()
        #expect(again.head == Position(300))
    }

    private func offerAndStop(in sandbox: Sandbox, _ kind: DurabilityKind) throws -> Int {
        let log = try sandbox.open(options: kind.options())
        let writer = writer(log)
        writer.start()
        let answers = Atomic<Int>(0)
        for request in 1...300 {
            writer.offer(UInt64(request)) { if case .success(.success) = $0 { answers.add(1, ordering: .relaxed) } }
        }
        writer.stop()
        writer.offer(1) { if case .failure(.stopped) = $0 { return } else { Issue.record("a stopped writer took a request") } }
        try log.close()
        return answers.load(ordering: .relaxed)
    }

    /// Calls `stop` for an asynchronous test, which cannot call it directly.
    private func stop(_ writer: GroupCommit<Once>) { writer.stop() }
}
