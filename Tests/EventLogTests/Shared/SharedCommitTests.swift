import Glibc
import Merkle
import SharedLogs
import Testing

@testable import EventLog
@testable import LMDB

/// Two nodes over one shared log, step by step. After each fault, an acknowledged batch is in the shared log once, and the local log has
/// nothing that the shared log lacks.
@Suite(.temporaryFolder) struct SharedCommitTests {
    private let engine = MemorySharedLog()

    /// A writer with one event.
    private func writer() throws -> Node {
        let node = try Node(.a, engine)
        try node.claim()
        try node.append(event(.opened, card(1)))
        return node
    }

    /// A claim by another node that has adopted every entry.
    private func claimByAnother() -> MemorySharedLog.Act {
        let (engine, other) = (engine, SharedCommit(engine))
        return {
            guard let head = engine.heads.last else { return }
            try other.claim(as: .b, at: head.position, root: head.root)
        }
    }

    @Test("Of two writers, only the one that claimed last appends, and the other stores nothing")
    func twoWriters() throws {
        let (old, new) = (try writer(), try Node(.b, engine))
        try new.catchUp()
        try new.claim()
        let requests = engine.requests
        #expect(code { try old.append(event(.stamped, card(1))) } == .superseded)
        #expect(engine.requests == requests + 1, "superseded is not taken for unknown: nothing is sent again")
        #expect(old.log.head == Position(1))
        #expect(code { try old.append(event(.stamped, card(1))) } == .stopped)
        try new.append(event(.closed, card(1)))
        #expect(engine.heads.last?.position == Position(2) && engine.heads.last?.term == 2)
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: new.log)
    }

    @Test("Of two claims at once, one wins")
    func twoClaims() throws {
        let node = try writer()
        engine.beforeRequests(claimByAnother())
        #expect(code { try node.claim() } == .superseded)
        #expect(engine.heads.last?.writer == .b)
        #expect(code { try node.append(event(.stamped, card(1))) } == .superseded)
        expectUnbrokenChain(engine)
    }

    @Test("Of two claims at once by nodes that were given one name, one wins")
    func twoClaimsInOneName() throws {
        let node = try writer()
        let (engine, other) = (engine, SharedCommit(engine))
        let head = try #require(engine.heads.last)
        engine.beforeRequests({ try other.claim(as: .a, at: head.position, root: head.root) })
        #expect(code { try node.claim() } == .superseded)
        try other.confirm()
        expectUnbrokenChain(engine)
    }

    @Test("A claim that the engine refuses because another writer seems alive counts as superseded")
    func refusedClaim() throws {
        let node = try writer()
        engine.refuseClaims()
        #expect(code { try node.claim() } == .superseded)
    }

    @Test("A batch whose answer was lost is durable, and is not sent again")
    func answerLost() throws {
        let node = try writer()
        let requests = engine.requests
        engine.failNext(.answerLost)
        try node.append(event(.stamped, card(1)))
        #expect(engine.requests == requests + 1)
        #expect(node.log.head == Position(2))
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: node.log)
    }

    @Test("A request that was lost is sent until it is answered")
    func requestLost() throws {
        let node = try writer()
        engine.failNext(.requestLost, .requestLost, .requestLost)
        try node.append(event(.stamped, card(1)))
        #expect(node.log.head == Position(2))
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: node.log)
    }

    @Test("A copy of a request that arrives after later batches changes nothing")
    func lateDuplicate() throws {
        let node = try writer()
        engine.failNext(.late)
        try node.append(event(.stamped, card(1)))
        try node.append(event(.closed, card(1)))
        engine.failNext(.duplicated)
        try node.append(event(.opened, card(2)))
        let heads = engine.heads
        engine.deliverLate()
        #expect(engine.heads == heads && heads.count == 5)
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: node.log)
    }

    @Test("A request that arrives just before its copy counts as durable, not as another writer's")
    func lateOriginal() throws {
        let node = try writer()
        engine.failNext(.late)
        engine.beforeRequests({}, { [engine] in engine.deliverLate() })
        try node.append(event(.stamped, card(1)))
        #expect(node.log.head == Position(2))
        expectUnbrokenChain(engine)
    }

    @Test("A writer that another one replaced after an unknown outcome stops", arguments: [MemorySharedLog.Fault.answerLost, .requestLost])
    func supersededAfterAnUnknownOutcome(_ fault: MemorySharedLog.Fault) throws {
        let node = try writer()
        engine.failNext(fault)
        engine.beforeRead(claimByAnother())
        let requests = engine.requests
        #expect(code { try node.append(event(.stamped, card(1))) } == .superseded)
        #expect(engine.requests == requests + 2, "the append and the claim")
        #expect(node.log.head == Position(1), "the local log has nothing that was not acknowledged")
        #expect(engine.heads.last?.position == Position(fault == .answerLost ? 2 : 1))
        expectUnbrokenChain(engine)
    }

    @Test("A batch without an answer is not in the local log, and giving up ends the attempts")
    func givingUp() throws {
        let sandbox = try Sandbox()
        do {
            let node = try Node(.a, engine, in: sandbox)
            try node.claim()
            engine.goDown()
            node.commit.giveUp()
            #expect(code { try node.append(event(.opened, card(1))) } == .unreachable)
            #expect(code { try node.commit.confirm() } == .unreachable, "later calls end, too")
            #expect(node.log.head == .start)
        }
        let log = try sandbox.open()
        #expect(log.head == .start)
    }

    @Test("A batch whose local commit failed is adopted at the next start")
    func localFailure() throws {
        let sandbox = try Sandbox()
        do {
            let node = try Node(.a, engine, in: sandbox) { FailingLocally(shared: $0) }
            try node.claim()
            #expect(code { try node.append(event(.opened, card(1))) } == .io)
            #expect(node.log.head == .start)
        }
        let node = try Node(.a, engine, in: sandbox)
        #expect(code { try node.claim() } == .superseded, "a node that has not caught up cannot claim")
        try node.catchUp()
        #expect(node.log.head == Position(1))
        try node.claim()
        try node.append(event(.stamped, card(1)))
        expectUnbrokenChain(engine)
        try expectSameLog(from: engine, as: node.log)
    }

    @Test("A batch that a full disk keeps out of the local log may be stored, unlike one without a shared log")
    func fullDisk() throws {
        let full = EventLogError(LMDBError(number: ENOSPC, call: "mdb_txn_commit", path: "log"))
        try #require(full.isOutOfSpace)
        let node = try Node(.a, engine) { FailingLocally(shared: $0, failure: full) }
        try node.claim()
        let error = #expect(throws: EventLogError.self) { try node.append(event(.opened, card(1))) }
        #expect(error?.isOutOfSpace == false && error?.detail.contains("in the shared log") == true, "\(error.debugDescription)")
        #expect(engine.heads.last?.position == Position(1))
    }

    private struct FailingLocally: BatchDurability {
        let shared: SharedCommit
        var failure = EventLogError(.io, "injected")
        var isShared: Bool { true }

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) {
            try shared.makeDurable(batch) { _ throws(EventLogError) in throw failure }
        }

        func confirm() throws(EventLogError) { try shared.confirm() }
    }
}

/// The head is not the one that this process expects.
@Suite(.temporaryFolder) struct FoundHeadTests {
    enum Loss: CaseIterable {
        case rolledBack, emptied
    }

    private let engine = MemorySharedLog()

    private func writer(events: Int) throws -> Node {
        let node = try Node(.a, engine)
        try node.claim()
        for number in 0..<events { try node.append(event(.opened, card(UInt128(number)))) }
        return node
    }

    @Test("Nothing is written, confirmed or claimed over a shared log that has lost events", arguments: Loss.allCases)
    func engineBehind(_ loss: Loss) throws {
        let node = try writer(events: 3)
        let root = try node.log.root()
        switch loss {
        case .rolledBack: engine.rollBack(to: Position(2))
        case .emptied: engine.removeEverything()
        }
        let heads = engine.heads
        #expect(code { try node.commit.confirm() } == .engineBehind)
        #expect(code { try SharedCommit(engine).claim(as: .b, at: Position(3), root: root) } == .engineBehind)
        #expect(code { try node.append(event(.opened, card(9))) } == .engineBehind)
        #expect(engine.heads == heads)
        #expect(node.log.head == Position(3))
    }

    @Test("A round is confirmed until another process claims")
    func confirming() throws {
        let node = try writer(events: 1)
        try node.commit.confirm()
        try SharedCommit(engine).claim(as: .b, at: node.log.head, root: node.log.root())
        #expect(code { try node.commit.confirm() } == .superseded)
    }

    @Test("Without a claim, nothing is written or confirmed")
    func withoutClaim() throws {
        let node = try Node(.a, engine)
        #expect(code { try node.commit.confirm() } == .superseded)
        #expect(code { try node.append(event(.opened, card(1))) } == .superseded)
        #expect(engine.requests == 0)
    }

    @Test("A head at the same position with another root is a mismatch")
    func otherRoot() throws {
        let node = try writer(events: 2)
        let head = try #require(engine.heads.last)
        engine.replaceHead(
            Head(term: head.term, writer: head.writer, process: head.process, position: head.position, root: .ofNothing))
        #expect(code { try node.commit.confirm() } == .logMismatch)
        #expect(code { try node.claim() } == .logMismatch)
        #expect(code { try node.append(event(.opened, card(9))) } == .logMismatch)
        #expect(node.log.head == Position(2))
    }

    @Test("A trimmed shared log gives what is left, and pages end at their size")
    func trimmed() throws {
        _ = try writer(events: 5)
        try engine.trim(through: Position(2))
        let all = try engine.entries(after: .start, bytes: .max)
        #expect(try all.map { try Entry($0, key: .forTests).first } == [3, 4, 5].map { Position($0) })
        #expect(try engine.entries(after: Position(3), bytes: 1).count == 1)
    }
}
