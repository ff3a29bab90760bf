import EventLog
import Foundation
import Merkle
import Patience
import SharedLogs
import Testing

@testable import Etcd

/// The shared log over a real etcd.
@Suite(.enabled(if: EtcdServer.isThere, EtcdServer.isMissing), .sharedEtcd, .timeLimit(.minutes(15))) struct EtcdLogTests {
    private func log(waitSeconds: Double = 0.02) throws -> EtcdLog {
        try EtcdServer.log(at: [SharedEtcd.endpoint], waitSeconds: waitSeconds)
    }

    private func head(term: UInt64, of node: String = "a") throws -> Head {
        Head(term: term, writer: try .named(node), process: 1, position: .start, root: TreeHasher.emptyRoot)
    }

    @Test("etcd keeps the contract of a shared log", arguments: SharedLogRule.allCases)
    func contract(_ rule: SharedLogRule) throws { try rule.check(log()) }

    @Test("A claim waits for another node's key to end, and not for this node's own")
    func claimWhileAnotherSeemsAlive() throws {
        let (own, settings) = (try log(), try EtcdSettings(endpoints: [SharedEtcd.endpoint]))
        let other = EtcdLog(settings, log: own.name, node: try .named("b"), process: 2)
        let lease = try other.lease(seconds: 60)
        #expect(try other.announceWriter(lease))
        #expect(try own.announcedWriter() == "b 2")
        #expect(try own.claim(replacing: nil, as: head(term: 1)) == .superseded(nil))
        #expect(try other.claim(replacing: nil, as: head(term: 1, of: "b")) == .durable)
        #expect(try own.announceWriter(own.lease(seconds: 60)) == false)
        try other.revoke(lease)
        #expect(try own.announcedWriter() == nil)
        #expect(try own.claim(replacing: head(term: 1, of: "b"), as: head(term: 2)) == .durable)
    }

    @Test("Keys of a node vanish with its lease, and a lease that has ended is neither renewed nor used")
    func leases() throws {
        let (log, name) = (try log(), try NodeName.named("a"))
        let lease = try log.lease(seconds: 60)
        #expect(try log.announce(name, [0, 255, 10], lease))
        #expect(try log.renew(lease))
        #expect(try log.announcedNodes() == [name: [0, 255, 10]])
        try log.revoke(lease)
        try log.revoke(lease)
        #expect(try log.announcedNodes().isEmpty)
        #expect(try log.renew(lease) == false)
        #expect(try log.announce(name, [], lease) == false)
        #expect(try log.announceWriter(lease) == false)
    }

    @Test("A lease that is not renewed ends by itself")
    func leaseEnds() async throws {
        let (log, name) = (try log(), try NodeName.named("a"))
        #expect(try log.announce(name, [1], log.lease(seconds: 2)))
        try await eventually("the node's key vanishes") { try log.announcedNodes().isEmpty }
    }

    @Test("A wait for the head ends with its next change, whichever comes first")
    func waitingRead() async throws {
        let log = try log(waitSeconds: patienceSeconds)
        let (gateway, key) = (log.gateway, log.keys.head)
        let now = try gateway.ask("/v3/kv/range", RangeRequest(key: key), .repeatable)
        let revision = try #require(now.header?.revision.flatMap(Int64.init))
        let waiting = Task.detached { try gateway.awaitChange(of: key, after: revision) }
        #expect(try log.claim(replacing: nil, as: head(term: 1)) == .durable)
        #expect(try await waiting.valueInTime())
    }

    @Test("A read that waits in vain is empty, and no failure")
    func waitingInVain() throws {
        let log = try log()
        #expect(try log.claim(replacing: nil, as: head(term: 1)) == .durable)
        #expect(try log.entries(after: .start, bytes: 1).isEmpty)
    }

    @Test("Keys that no program of ours has written are refused by name, and are not part of another log")
    func foreignKeys() throws {
        let log = try log()
        let settings = try EtcdSettings(endpoints: [SharedEtcd.endpoint])
        let inner = EtcdLog(settings, log: log.name + "/batch", node: try .named("a"), process: 1)
        #expect(try inner.claim(replacing: nil, as: head(term: 1)) == .durable)
        #expect(try log.entries(after: .start, bytes: 1_000).isEmpty)
        #expect(try log.head() == nil)
        _ = try log.gateway.ask("/v3/kv/put", PutRequest(key: log.keys.head, value: .init([9, 9])), .once)
        #expect(throws: EventLogError.self) { try log.head() }
    }
}
