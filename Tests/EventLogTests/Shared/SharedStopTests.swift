import SharedLogs
import Testing

@testable import EventLog

/// Writers that stop while their shared log gives no answer.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct SharedStopTests {
    private let engine = MemorySharedLog()

    /// Gives up at once, while a service waits some seconds for answers.
    private struct Impatient: BatchDurability {
        let shared: SharedCommit
        var isShared: Bool { true }

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) {
            try shared.makeDurable(batch, commitLocally: commitLocally)
        }

        func confirm() throws(EventLogError) { try shared.confirm() }
        func giveUp(afterSeconds seconds: Double) { shared.giveUp() }
    }

    @Test("A writer whose shared log never answers stops, and refuses its callers")
    func stopping() async throws {
        let commit = SharedCommit(engine)
        try commit.claim(as: .a, at: .start, root: .ofNothing)
        var options = EventLog.Options.tiny(flush: 5)
        options.durability = Impatient(shared: commit)
        let log = try Sandbox().open(options: options)
        let (failures, refused) = (GroupCommitTests.Failures(), Shared(0))
        let writer = GroupCommit(log: log, onFailure: { failures.note($0) }) { GroupCommitTests.Once(appender: $0) }
        writer.start()
        #expect(try await writer.submit(1).get() == Position(1))
        engine.goDown()
        for request in 2...4 as ClosedRange<UInt64> {
            writer.offer(request) { if case .failure(.stopped) = $0 { refused.update { $0 += 1 } } }
        }
        await writer.shutDown()
        #expect(refused.value == 3)
        #expect(failures.all.count == 1 && failures.all[0].contains("unreachable"), "\(failures.all)")
        #expect(log.head == Position(1))
    }

    @Test("After a stop, a claim without an answer fails, and one with an answer waits for later answers again")
    func claimAfterAStop() throws {
        let node = try Node(.a, engine)
        try node.claim()
        node.commit.giveUp()
        engine.failNext(.requestLost)
        #expect(code { try node.claim() } == .unreachable)
        try node.claim()
        engine.failNext(.requestLost, .requestLost)
        try node.append(event(.opened, card(1)))
        expectUnbrokenChain(engine)
    }

    @Test("Before its time is over, a stop ends no call")
    func patience() throws {
        let node = try Node(.a, engine)
        try node.claim()
        node.commit.giveUp(afterSeconds: 1e6)
        engine.failNext(.requestLost, .answerLost, .requestLost)
        for number in 1...3 { try node.append(event(.opened, card(UInt128(number)))) }
        #expect(node.log.head == Position(3))
        node.commit.giveUp()
        engine.failNext(.requestLost)
        #expect(code { try node.append(event(.opened, card(4))) } == .unreachable, "the earlier time counts")
    }
}
