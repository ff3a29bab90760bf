import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition

/// Nodes of a cluster that take the writer's place from each other.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SeatTests {
    @Test("Three nodes find their writer; when it closes, the next takes over, and a retried stamp gets its answer")
    func closing() async throws {
        let cluster = try TestCluster()
        let (a, b, c) = (cluster.a, cluster.b, cluster.c)
        let waiting = Task { [service = b.service] in await service.awaitWriter(timeoutSeconds: patienceSeconds) }
        let (shop, guest, code) = try await cluster.begin()
        guard case .other(let writer) = try await waiting.valueInTime(), writer.url == "a" else { throw TestFailure("no writer") }
        await #expect(throws: ServiceError.notWriter) { try await shop.code(on: b.service) }
        let first = try await a.stamp(code, by: guest).get()
        try await cluster.settle()
        try a.close()
        c.step()
        #expect(!c.writes, "it leaves the place to b")
        cluster.presence.cut(.b, true)
        b.step()
        #expect(!b.writes && b.service.clusterStatus?.failure == "injected")
        cluster.presence.cut(.b, false)
        b.step()
        #expect(b.writes && b.service.clusterStatus?.failure == nil)
        let again = try await b.stamp(code, by: guest).get()
        #expect(again.isReplay && again.facts == first.facts && again.cards == first.cards)
        cluster.meet()
        _ = try await customer(2, on: b.service)
        let next = try await shop.code(on: b.service)
        #expect(try await b.service.stamp(next, by: guest).cards.first?.stamps == 2)
        try await cluster.settle()
        #expect(cluster.engine.heads.last?.term == 3)
    }

    @Test("A writer that is frozen while another one takes over acknowledges nothing, ends, and follows after its restart")
    func frozen() async throws {
        let cluster = try TestCluster()
        let (_, guest, code) = try await cluster.begin()
        try await cluster.settle()
        let held = Held()
        defer { held.release() }
        cluster.engine.beforeRequests { try held.wait() }
        let stamped = Task { [service = cluster.a.service] in
            await outcome(of: try await service.stamp(code, by: guest.under("k", on: service)))
        }
        try await eventually("the append is under way") { held.hasArrived }
        cluster.presence.expire(.a)
        cluster.b.step()
        #expect(cluster.b.writes)
        held.release()
        #expect(try await stamped.valueInTime() == .failure(.stopping))
        #expect(cluster.a.service.failure?.contains("superseded") == true)
        cluster.a.step()
        #expect(cluster.presence.view.writer == .b && cluster.presence.view.nodes[.a] == nil, "it beats no more")
        #expect(try await !cluster.b.stamp(code, by: guest).get().isReplay)
        try cluster.a.close()
        try cluster.a.open()
        cluster.meet()
        try await cluster.settle()
        #expect(!cluster.a.writes && cluster.a.service.failure == nil)
    }

    @Test("A writer that another one has replaced ends, also if it is named again")
    func namedAgain() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        try await cluster.settle()
        cluster.presence.expire(.a)
        cluster.b.step()
        try #require(cluster.b.writes)
        cluster.presence.expire(.b)
        cluster.a.step()
        #expect(cluster.presence.view.writer == .a)
        #expect(cluster.a.service.failure?.contains("superseded") == true)
    }

    @Test("A node that is wished for gets the place, and gives it back; a session's end reaches the one that follows")
    func wishes() async throws {
        let cluster = try TestCluster()
        let (a, b) = (cluster.a, cluster.b)
        let (shop, guest, code) = try await cluster.begin()
        let seen = SeenActs()
        a.service.sessionEndings.add { seen.note(ended: $0) }
        var sessions: [SessionID] = []
        for number in 1...2 { sessions.append(try await a.service.signIn(phone(number)).session) }
        try await cluster.settle()
        cluster.meet()
        try a.wish(for: b)
        a.step()
        #expect(a.service.clusterStatus?.role == .follower)
        await #expect(throws: ServiceError.notWriter) { try await shop.code(on: a.service) }
        b.step()
        #expect(b.writes)
        let stamped = try await b.stamp(code, by: guest).get()
        try await b.end(sessions[0])
        try await eventually("a knows the session's end") { seen.ended == [sessions[0]] }
        try await cluster.settle()
        cluster.meet()
        try b.wish(for: a)
        b.step()
        a.step()
        #expect(a.writes && !b.writes)
        #expect(try await a.stamp(code, by: guest).get().facts == stamped.facts)
        try await a.end(sessions[1])
        try await cluster.settle()
        #expect(seen.ended == [sessions[0]], "the writer's own request ends the session there")
        #expect(a.service.failure == nil && b.service.failure == nil)
        #expect(cluster.engine.heads.last?.term == 4)
    }

    @Test("Of two nodes that claim at once, one writes and the other follows")
    func race() async throws {
        let cluster = try TestCluster()
        let second = try #require(cluster.b.service.member)
        cluster.engine.beforeRequests { second.step() }
        cluster.a.step()
        #expect(cluster.b.writes && cluster.a.service.clusterStatus?.role == .follower)
        cluster.meet()
        _ = try await TeaShop.open(on: cluster.b.service)
        try await cluster.settle()
        #expect(cluster.a.service.failure == nil && cluster.engine.heads.last?.term == 2)
    }

    @Test("A node that is named as the writer and does not write withdraws that, and claims then")
    func namedInVain() async throws {
        let cluster = try TestCluster()
        let note = try #require(cluster.a.service.member).parts.own
        _ = try cluster.presence.node(.a, process: note.process).beat(note, writes: true)
        cluster.a.step()
        #expect(!cluster.a.writes && cluster.presence.view.writer == nil)
        cluster.a.step()
        #expect(cluster.a.writes && cluster.presence.view.writer == .a)
    }

    @Test("A node that lacks events does not take over, says why, and does so once it has them")
    func lagging() async throws {
        let cluster = try TestCluster()
        let c = cluster.c
        _ = try await cluster.begin()
        try await cluster.settle()
        cluster.answer { _, _ in throw TestFailure("no answer") }
        // Only b gets the key from the writer.
        let account = try await cluster.a.service.register(phone(2)).id
        try cluster.a.close()
        for _ in 0..<2 {
            cluster.pass(seconds: 1)
            c.step()
        }
        #expect(!c.writes)
        cluster.pass(seconds: 4)
        c.step()
        #expect(!c.writes && c.hindrance?.contains("does not have all events") == true)
        cluster.answer(nil)
        try await cluster.settle()
        for _ in 0..<2 {
            cluster.pass(seconds: 1)
            c.step()
        }
        #expect(c.writes && c.hindrance == nil)
        #expect(try await c.service.register(phone(2)).id == account)
    }

    @Test("A node without an account's key does not take over, and one with it does")
    func missingKey() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        try await cluster.settle()
        let folder = try TemporaryFolder()
        let keys = try emptyKeys(in: folder)
        cluster.answer { try keys.wrappedRows(of: $0, asOf: $1, isWriter: true) }
        _ = try await cluster.a.service.register(phone(2))
        try await cluster.settle()
        try cluster.a.close()
        for _ in 0..<2 {
            cluster.pass(seconds: 1)
            cluster.c.step()
        }
        #expect(!cluster.c.writes && cluster.c.hindrance?.contains("the keys of 1 accounts") == true)
        cluster.b.step()
        #expect(cluster.b.writes)
        try cluster.b.close()
        try cluster.c.close()
        try cluster.c.open(acceptsLostKeys: true)
        for _ in 0..<2 {
            cluster.pass(seconds: 1)
            cluster.c.step()
        }
        #expect(cluster.c.writes, "its operator knows that the key is lost")
    }

    @Test("A node that begins with older keys than its log gets the newer ones from the others, and can take over")
    func olderKeys() async throws {
        let cluster = try TestCluster()
        let c = cluster.c
        _ = try await cluster.begin()
        try await cluster.settle()
        try c.close()
        try c.copyKeys()
        try c.open()
        cluster.meet()
        let account = try await cluster.a.service.register(phone(2)).id
        try await cluster.settle()
        try c.close()
        try c.openWithCopiedKeys()
        cluster.meet()
        try await cluster.settle()
        try cluster.a.close()
        for _ in 0..<2 {
            cluster.pass(seconds: 1)
            c.step()
        }
        #expect(c.writes)
        #expect(try await c.service.register(phone(2)).id == account)
    }

    private func emptyKeys(in folder: TemporaryFolder) throws -> KeyStore {
        try KeyStore(directory: folder.path, master: MasterSecret(bytes: Site.secret), randomness: SeededRandomness(seed: Seed.value))
    }

    @Test("A node whose log has another history than the shared log, of one length, ends instead of claiming for ever")
    func otherHistory() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        try await cluster.settle()
        try cluster.a.close()
        let head = try #require(cluster.engine.heads.last)
        cluster.engine.replaceHead(
            Head(term: head.term, writer: head.writer, process: head.process, position: head.position, root: .ofNothing))
        cluster.b.step()
        #expect(!cluster.b.writes && cluster.b.service.failure?.contains("logMismatch") == true)
    }

    @Test("A writer without other nodes lets the shared log forget its own history")
    func trimmingAlone() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        try cluster.b.close()
        try cluster.c.close()
        cluster.pass(seconds: 60)
        cluster.a.step()
        try await eventually("the shared log is trimmed through its start") { cluster.engine.trims == [.start] }
    }
}
