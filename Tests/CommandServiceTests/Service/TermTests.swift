import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import ReadModels
import SharedLogs
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// A node is the writer in terms, each with a scheduler and a writer of its own, on the log that stays open.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct TermTests {
    private static let day: Int64 = 86_400
    private let engine = MemorySharedLog()
    private let clock = HandClock()

    private final class Failures: Sendable {
        private let noted = Mutex<[String]>([])
        var all: [String] { noted.withLock { $0 } }

        func note(_ error: any Error) { noted.withLock { $0.append("\(error)") } }
    }

    /// As much of a node as a term concerns.
    private final class Node {
        let log: EventLog
        let commit: SharedCommit
        let failures = Failures()
        private let name: NodeName
        private let engine: MemorySharedLog
        private let models: ReadModels
        private let forward: ForwardClock
        private let idle: IdleRequests
        private let folder: TemporaryFolder
        private var term: (writer: GroupCommit<CommandDecider>, scheduler: Scheduler)?

        init(_ name: NodeName, _ engine: MemorySharedLog, _ clock: HandClock) throws {
            (self.name, self.engine, folder, commit) = (name, engine, try TemporaryFolder(), SharedCommit(engine))
            let data = DataFolder(folder.path)
            var options = EventLog.Options()
            options.durability = commit
            log = try EventLog(
                directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite,
                created: Timestamp(microseconds: 0), options: options)
            models = try ReadModels(directory: data.models, log: log)
            forward = ForwardClock(clock, notBefore: clock.now())
            idle = try IdleRequests(clock: forward, path: data.idleRequests, of: log)
        }

        deinit {
            commit.giveUp()
            end()
            idle.close()
            try? models.close()
            try? log.close()
        }

        /// Takes over. The log is caught up before the claim, and the scheduler starts last.
        func begin() throws {
            try log.adoptAll(of: engine)
            try commit.claim(as: name, at: log.head, root: log.root())
            try idle.forgetAll()
            let writer = GroupCommit(log: log, onFailure: { [failures] in failures.note($0) }) { [forward, idle] appender in
                CommandDecider(appender, clock: forward, cachedEntitiesMax: 100, idle: idle)
            }
            let scheduler = Scheduler(models, clock: forward, newNotice: { NoticeID(99) }) { writer.offer($0, resume: $1) }
            writer.start()
            scheduler.start(periodSeconds: 0.01)
            term = (writer, scheduler)
        }

        /// Hands over. The scheduler stops first, because it waits for answers of the writer.
        func end() {
            term?.scheduler.stop()
            term?.writer.stop()
            term = nil
        }

        func submit(_ command: Command, by caller: Caller) async throws -> Acceptance {
            let writer = try #require(term).writer
            return try await writer.submit(Submission(command: command, caller: caller, at: nil)).get()
        }

        /// The notices that have appeared, in their order.
        var appeared: [NoticeID] {
            get throws {
                let query = Query.items([QueryItem(types: [.noticePosted], tags: [])])
                return try log.events(matching: query, after: .start).compactMap { event in
                    guard case .noticePosted(let posted) = try LoyaltyCodec.decode(event).event else { return nil }
                    return posted.notice
                }
            }
        }
    }

    private let author = Caller(account: AccountID(1))

    /// Begins the node's term with an account, and with notices that are due after one day, two days, and so on.
    private func begin(_ node: Node, notices: Int) async throws {
        try node.begin()
        let register = RegisterAccount(account: author.account, phone: Secret(1), sealedPhone: Sealed([1]))
        _ = try await node.submit(.registerAccount(register), by: author)
        for number in 1...notices {
            let at = clock.now().advanced(bySeconds: Int64(number) * Self.day)
            let notice = PostNotice(
                notice: NoticeID(UInt128(number)), audience: .all, title: Sealed([1]), text: Sealed([1]), publishAt: at)
            _ = try await node.submit(.postNotice(notice), by: author)
        }
    }

    @Test("A node that hands over and claims again continues on its open log, and each notice appears once")
    func handovers() async throws {
        let (first, second) = (try Node(.a, engine, clock), try Node(.b, engine, clock))
        try await begin(first, notices: 3)
        for (number, node) in [first, second, first].enumerated() {
            if number > 0 { try node.begin() }
            clock.move(bySeconds: Self.day)
            try await eventually("notice \(number + 1) appears") { try node.appeared.count == number + 1 }
            node.end()
        }
        #expect(try first.appeared == [1, 2, 3].map { NoticeID($0) })
        #expect(first.failures.all.isEmpty && second.failures.all.isEmpty)
        #expect(engine.heads.last?.term == 3)
        try expectSame(engine, as: first.log)
    }

    @Test("A request is answered in a later term as in the first, and one that changed nothing is decided again")
    func repeats() async throws {
        let (first, second) = (try Node(.a, engine, clock), try Node(.b, engine, clock))
        try await begin(first, notices: 1)
        let mark = Caller(account: author.account, mark: RequestMark(request: 1, digest: 1))
        let idle = Caller(account: author.account, mark: RequestMark(request: 2, digest: 2))
        let register = Command.registerAccount(RegisterAccount(account: author.account, phone: Secret(1), sealedPhone: Sealed([1])))
        let notice = Command.postNotice(PostNotice(notice: NoticeID(7), audience: .all, title: Sealed([1]), text: Sealed([1])))
        let answer = try await first.submit(notice, by: mark)
        #expect(try await first.submit(register, by: idle).facts.isEmpty)
        #expect(try await first.submit(register, by: idle).isReplay)
        for node in [second, first] {
            (node === first ? second : first).end()
            try node.begin()
            let again = try await node.submit(notice, by: mark)
            #expect(again.isReplay && again.facts == answer.facts && again.position == answer.position)
            #expect(try await !node.submit(register, by: idle).isReplay)
        }
    }

    @Test("The scheduler of a writer that was replaced records nothing, and stops")
    func replaced() async throws {
        let (old, new) = (try Node(.a, engine, clock), try Node(.b, engine, clock))
        try await begin(old, notices: 1)
        try new.begin()
        let head = old.log.head
        clock.move(bySeconds: Self.day)
        try await eventually("the notice appears, and the old writer is told") {
            try new.appeared.count == 1 && !old.failures.all.isEmpty
        }
        old.end()
        new.end()
        #expect(old.failures.all.count == 1 && old.failures.all[0].contains("superseded"))
        #expect(old.log.head == head)
        #expect(new.failures.all.isEmpty)
        #expect(try new.appeared == [NoticeID(1)])
        try expectSame(engine, as: new.log)
    }

    @Test("A scheduler and a writer that wait for a shared log without an answer stop once the step gives up")
    func unreachable() async throws {
        let node = try Node(.a, engine, clock)
        try await begin(node, notices: 1)
        let requests = engine.requests
        engine.goDown()
        clock.move(bySeconds: Self.day)
        try await eventually("the scheduler's command is under way") { engine.requests > requests }
        node.commit.giveUp()
        node.end()
        #expect(node.failures.all.count == 1)
        #expect(try node.appeared.isEmpty)
    }
}
