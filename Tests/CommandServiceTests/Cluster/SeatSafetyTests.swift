import Foundation
import LMDB
import Loyalty
import Patience
import SharedLogs
import Synchronization
import Testing

@testable import CommandService
@testable import Composition
@testable import EventLog
@testable import Images

/// Nodes that may lack events, disks that hang, and values in etcd that no node has written.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SeatSafetyTests {
    @Test("A node that has not heard the shared log for ten seconds is stale, whether it follows or writes, and no sooner")
    func silent() async throws {
        let cluster = try TestCluster()
        let (a, b, c) = (cluster.a, cluster.b, cluster.c)
        _ = try await cluster.begin()
        try await cluster.settle()
        cluster.meet()
        for node in [a, b] { cluster.presence.cut(node.name, true) }
        cluster.pass(seconds: Limits.staleSecondsMax)
        for node in cluster.nodes { node.step() }
        #expect(!a.isStale && !b.isStale && !c.isStale)
        cluster.pass(seconds: 0.1)
        #expect(a.isStale && b.isStale && !c.isStale)
        #expect(b.service.otherNodes?.map(\.url) == ["a", "c"], "the writer is asked first")
        for node in [a, b] { cluster.presence.cut(node.name, false) }
        for node in cluster.nodes { node.step() }
        #expect(!a.isStale && !b.isStale && !c.isStale)
    }

    @Test("A node that hears the shared log and cannot copy its events is stale, too; one that has just started is before it has them all")
    func lagging() async throws {
        let cluster = try TestCluster()
        let c = cluster.c
        _ = try await cluster.begin()
        try await cluster.settle()
        cluster.meet()
        cluster.answer { _, _ in throw TestFailure("no answer") }
        // Only b gets the key from the writer.
        _ = try await cluster.a.service.register(phone(2))
        c.step()
        cluster.pass(seconds: Limits.staleSecondsMax + 0.1)
        for node in cluster.nodes { node.step() }
        #expect(c.isStale && !cluster.a.isStale)
        cluster.answer(nil)
        try await cluster.settle()
        c.step()
        #expect(!c.isStale)
        try c.close()
        try c.open()
        #expect(c.isStale && c.service.otherNodes == nil)
        try await cluster.settle()
        c.step()
        #expect(!c.isStale)
    }

    @Test("Something foreign in place of the writer's name is named; the writer replaces it, and without one it is removed")
    func foreign() async throws {
        let cluster = try TestCluster()
        let (a, b, c) = (cluster.a, cluster.b, cluster.c)
        _ = try await cluster.begin()
        try await cluster.settle()
        cluster.presence.plant("tea")
        for node in [b, c] { node.step() }
        #expect(cluster.presence.view.foreign != nil, "it is left to the writer")
        a.step()
        #expect(cluster.presence.view.foreign == nil && cluster.presence.view.writer == .a)
        for node in [a, b] { #expect(node.service.clusterStatus?.foreignWriter == "tea") }
        try a.close()
        cluster.presence.plant("tea")
        b.step()
        #expect(!b.writes && cluster.presence.view.foreign != nil)
        cluster.pass(seconds: Limits.foreignSecondsMin)
        b.step()
        #expect(cluster.presence.view.foreign == nil)
        b.step()
        #expect(b.writes)
    }

    @Test("A node with exactly the events of a shared log that was restored does not claim before the others have told theirs")
    func restored() async throws {
        let cluster = try TestCluster()
        let (b, c) = (cluster.b, cluster.c)
        let (_, guest, code) = try await cluster.begin()
        try await cluster.settle()
        try c.close()
        let position = try #require(cluster.engine.heads.last?.position)
        _ = try await cluster.a.stamp(code, by: guest).get()
        try await eventually("b has all events") { b.service.log.head > position }
        try cluster.a.close()
        try b.close()
        cluster.engine.rollBack(to: position)
        try c.open { $0.settleSeconds = Limits.claimSettleSeconds }
        c.step()
        #expect(!c.writes)
        try b.open()
        b.step()
        cluster.pass(seconds: Limits.claimSettleSeconds)
        c.step()
        #expect(!c.writes && c.hindrance?.contains("reseed") == true)
        try b.close()
        c.step()
        #expect(!c.writes && c.hindrance?.contains("reseed") == true, "it remembers what another node had")
    }

    @Test("A node that was started anew does not claim a head before the last one that it has seen, until a later term")
    func knownEnd() async throws {
        let cluster = try TestCluster()
        let c = cluster.c
        let (_, guest, code) = try await cluster.begin()
        try await cluster.settle()
        try c.close()
        let old = try #require(cluster.engine.heads.last)
        _ = try await cluster.a.stamp(code, by: guest).get()
        let lost = try #require(cluster.engine.heads.last)
        try cluster.a.close()
        try cluster.b.close()
        cluster.engine.rollBack(to: old.position)
        try c.open { $0.knownEnd = (lost.term, lost.position) }
        c.step()
        cluster.pass(seconds: 60)
        c.step()
        #expect(!c.writes && c.hindrance?.contains("reseed") == true)
        try c.close()
        try c.open { $0.knownEnd = (old.term - 1, lost.position) }
        c.step()
        cluster.pass(seconds: 60)
        c.step()
        #expect(c.writes, "an operator gave the later events up")
    }

    @Test("A writer whose disk does not finish a commit leaves the place to another node, and ends later")
    func hungDisk() async throws {
        let cluster = try TestCluster()
        let (a, b) = (cluster.a, cluster.b)
        let (_, guest, code) = try await cluster.begin()
        try await cluster.settle()
        try a.close()
        try a.open { $0.commitSecondsMax = 0 }
        a.step()
        try #require(a.writes)
        let held = Held()
        defer { held.release() }
        Self.hold(a.service.log.storage.environment, held)
        try await eventually("the disk hangs") { held.hasArrived }
        let stamped = Task { [service = a.service] in
            await outcome(of: try await service.stamp(code, by: guest.under("k", on: service)))
        }
        try await eventually("the writer leaves the place") {
            a.step()
            return cluster.presence.view.writer == nil
        }
        #expect(a.hindrance?.contains("has not finished a commit") == true)
        try await eventually("another node writes") {
            cluster.pass(seconds: 0.1)
            b.step()
            return b.writes
        }
        held.release()
        _ = try await stamped.valueInTime()
        #expect(try await b.stamp(code, by: guest).get().cards.first?.stamps == 1)
        a.step()
        #expect(a.service.failure?.contains("superseded") == true)
    }

    /// Takes the only write transaction of a file until the test releases it.
    private static func hold(_ environment: Environment, _ held: Held) {
        Thread.detachNewThread {
            guard let transaction = try? environment.write() else { return }
            try? held.wait()
            try? transaction.commit()
        }
    }

    @Test("A picture that an earlier writer has accepted can be named at the next one, by its sender alone")
    func unnamedPicture() async throws {
        let cluster = try TestCluster()
        let (a, b) = (cluster.a, cluster.b)
        let (_, guest, _) = try await cluster.begin()
        try await cluster.settle()
        cluster.meet()
        let file = Array("a picture".utf8)
        #expect(try b.service.images.adopt(file, as: ImageID(1), hasSender: true, at: b.service.clock.now()))
        let digest = try #require(b.service.images.name(of: ImageID(1))).digest
        let image = a.service.images.identify(digest, guest.account)
        #expect(try await !a.service.holdImage(image, by: guest.account))
        #expect(try b.service.images.adopt(file, as: image, hasSender: true, at: b.service.clock.now()))
        #expect(try await !a.service.holdImage(image, by: AccountID(7)))
        #expect(try await a.service.holdImage(image, by: guest.account))
        #expect(a.service.images.has(image))
    }

    @Test("A node that needs long to begin to write keeps its place meanwhile")
    func slowBeginning() async throws {
        let cluster = try TestCluster()
        let b = cluster.b
        _ = try await cluster.begin()
        try await cluster.settle()
        try b.close()
        try b.open(beatSeconds: 0.01)
        let (held, keys) = (Held(), b.service.keyStore)
        defer { held.release() }
        cluster.engine.beforeRequests {
            // Only what follows the claim needs the keys.
            Thread.detachNewThread { keys.state.withLock { _ in try? held.wait() } }
            try eventually("the keys are held") { held.hasArrived }
        }
        try cluster.a.close()
        try await eventually("b claims") { held.hasArrived }
        cluster.presence.expire(.b)
        try await eventually("b keeps its place") { cluster.presence.view.writer == .b }
        #expect(!b.writes)
        held.release()
        try await eventually("b writes") { b.writes }
        try b.close()
    }
}
