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

    @Test("Entries beyond a changed head are found, and removed while the head is the one that was read")
    func laterEntries() throws {
        let log = try log(), old = try head(term: 1)
        #expect(try log.newestEntry() == nil)
        #expect(try log.claim(replacing: nil, as: old) == .durable)
        for first in [1, 4, 9] as [UInt64] {
            let entry = PutRequest(key: log.keys.batch(Position(first)), value: Data([UInt8(first)]))
            _ = try log.gateway.ask("/v3/kv/put", entry, .once)
        }
        #expect(try log.newestEntry() == [9])
        for other in [nil, try head(term: 2)] {
            #expect(try !log.removeEntries(after: Position(4), while: other))
        }
        #expect(try log.newestEntry() == [9])
        #expect(try log.removeEntries(after: Position(4), while: old))
        #expect(try log.newestEntry() == [4], "an entry that begins there stays")
        #expect(try log.head() == old)
    }

    @Test("Entries beyond a changed head are removed also if they begin before its end: a follower would take them for accepted ones")
    func longerEntry() throws {
        let log = try log(), old = try head(term: 1)
        #expect(try log.claim(replacing: nil, as: old) == .durable)
        for (first, count) in [(1, 3), (4, 5), (9, 1)] as [(UInt8, UInt8)] {
            let put = PutRequest(key: log.keys.batch(Position(UInt64(first))), value: Self.entry(first, count))
            _ = try log.gateway.ask("/v3/kv/put", put, .once)
        }
        for (position, end) in [(8, 8), (6, 3)] as [(UInt64, UInt64)] {
            #expect(try log.removeEntries(after: Position(position), while: old))
            let newest = try #require(try log.newestEntry())
            #expect(Entry.last(in: newest) == Position(end))
        }
    }

    /// The parts of an entry that tell its first and last position.
    private static func entry(_ first: UInt8, _ count: UInt8) -> Data {
        var bytes = [UInt8](repeating: 0, count: 120)
        bytes[0] = 1
        bytes[4] = count
        bytes[16] = first
        return Data(bytes)
    }

    @Test(
        "A member's room is told from four fifths of its quota on, and by the alarm",
        arguments: [(1_638, 2_048, false), (1_639, 2_048, true), (1_639, 8_192, false), (13, 16, true)] as [(Int, Int, Bool)])
    func room(_ megabytes: Int, _ quota: Int, _ isTold: Bool) {
        func member(alarms: [String] = []) -> EndpointStatus {
            EndpointStatus(
                endpoint: "http://a:1", version: "3.6.0", databaseBytes: megabytes * 1_000_000, quotaBytes: quota * 1_000_000,
                alarms: alarms, fault: nil)
        }
        #expect((member().roomFault != nil) == isTold)
        #expect(member(alarms: ["NOSPACE"]).roomFault == EtcdFault.noSpace.description)
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
