import EventLog
import Foundation
import Loyalty
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition
@testable import LoyaltyCodec

/// The bytes of a cluster's files and of its shared log, searched for data keys.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ErasedKeyTests {
    @Test("An erased account's key is in no file of any node, also of one that was down, and no key was ever in the shared log")
    func erasedWhileDown() async throws {
        let cluster = try TestCluster()
        let (a, b, c) = (cluster.a, cluster.b, cluster.c)
        cluster.meet()
        // Only the courier brings keys meanwhile.
        cluster.answer { _, _ in throw TestFailure("no answer") }
        let guest = try await customer(1, on: a.service)
        #expect(try [b, c].contains { try $0.service.keyStore.key(of: guest.account) != nil })
        cluster.answer(nil)
        let kept = try await customer(2, on: a.service)
        try await cluster.settle()
        let sealed = try #require(try a.service.reading { try $0.account(guest.account) }).sealedPhone
        let (key, keptKey) = (try self.key(of: guest, at: a), try self.key(of: kept, at: a))
        let rows = try cluster.nodes.map { try row(of: guest, at: $0) }
        let keptRows = try cluster.nodes.map { try row(of: kept, at: $0) }
        for (node, row) in zip(cluster.nodes, rows) {
            #expect(try self.key(of: guest, at: node) == key, "\(node.name)")
            #expect(try node.folder.hasBytes(of: row) && !node.folder.hasBytes(of: key), "\(node.name)")
        }
        try c.close()
        _ = try await a.service.eraseAccount(by: guest)
        try await cluster.settle()
        let here = try cluster.nodes.map { node in try rows.contains { try node.folder.hasBytes(of: $0) } }
        #expect(here == [false, false, true], "the one that is down still has its row")
        try c.open()
        cluster.meet()
        try await cluster.settle()
        for isOpen in [true, false] {
            if !isOpen { for node in cluster.nodes { try node.close() } }
            for (node, keptRow) in zip(cluster.nodes, keptRows) {
                for secret in rows + [key, keptKey] { #expect(try !node.folder.hasBytes(of: secret), "\(node.name), open: \(isOpen)") }
                #expect(try node.folder.hasBytes(of: keptRow), "\(node.name), open: \(isOpen)")
            }
        }
        let entries = Data(cluster.engine.entries.flatMap(\.bytes) + cluster.engine.heads.flatMap(\.bytes))
        #expect(entries.hasBytes(of: sealed.bytes))
        for secret in rows + keptRows + [key, keptKey] { #expect(!entries.hasBytes(of: secret)) }
    }

    private func key(of caller: Caller, at node: Node) throws -> [UInt8] {
        try #require(try node.service.keyStore.key(of: caller.account)).bytes
    }

    private func row(of caller: Caller, at node: Node) throws -> [UInt8] {
        try #require(try node.service.keyStore.wrappedKey(of: caller.account))
    }
}
