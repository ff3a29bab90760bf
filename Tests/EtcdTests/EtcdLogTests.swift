import EventLog
import Foundation
import Merkle
import NIOCore
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

    @Test("A wait for the head ends with its next change, whichever comes first")
    func waitingRead() async throws {
        let log = try log(waitSeconds: patienceSeconds)
        let (gateway, key) = (log.gateway, log.keys.head)
        let now = try gateway.ask("/v3/kv/range", RangeRequest(key: key), .repeatable)
        let revision = try #require(now.header?.revision.flatMap(Int64.init))
        let waiting = Task.detached { try gateway.awaitChange(of: key, after: revision, until: .distantFuture) }
        #expect(try log.claim(replacing: nil, as: head(term: 1)) == .durable)
        #expect(try await waiting.valueInTime())
    }

    @Test("A read that waits in vain is empty, and no failure")
    func waitingInVain() throws {
        let log = try log()
        #expect(try log.claim(replacing: nil, as: head(term: 1)) == .durable)
        #expect(try log.entries(after: .start, bytes: 1).isEmpty)
    }

    @Test("An operator sees version, size and faults of each member")
    func status() throws {
        let down = "http://127.0.0.1:1"
        let status = try EtcdServer.log(at: [SharedEtcd.endpoint, down]).status()
        #expect(status.map(\.endpoint) == [SharedEtcd.endpoint, down])
        #expect(status[0].version?.first == "3" && status[0].databaseBytes.map { $0 > 0 } == true && status[0].alarms.isEmpty)
        #expect(status.map { $0.fault == nil } == [true, false] && status[1].version == nil)
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
