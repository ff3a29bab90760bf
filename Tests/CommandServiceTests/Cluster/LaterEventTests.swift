import LoyaltyCodec
import Merkle
import Patience
import SharedLogs
import Testing

@testable import CommandService
@testable import Composition
@testable import EventLog

/// An upgrade node by node, of which the writer came first.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LaterEventTests {
    @Test("Nodes of an older version that meet an event of a newer one end by name, and have all events before it")
    func laterEvent() async throws {
        let cluster = try TestCluster()
        _ = try await cluster.begin()
        try await cluster.settle()
        try cluster.a.close()
        let head = try #require(cluster.engine.heads.last)
        #expect(try cluster.engine.append(entryOfLaterType(in: cluster), replacing: head) == .durable)
        for node in [cluster.b, cluster.c] {
            try await eventually("\(node.name) ends") { node.service.failure?.contains("schemaConflict") == true }
            #expect(node.service.log.head == head.position)
            #expect(try node.service.log.root() == head.root)
        }
        try cluster.b.close()
        try cluster.b.open()
        try await eventually("a restart ends by the same name") { cluster.b.service.failure?.contains("schemaConflict") == true }
    }

    /// The next entry, whose record is the last one with another type.
    private func entryOfLaterType(in cluster: TestCluster) throws -> Entry {
        let (head, service) = (try #require(cluster.engine.heads.last), cluster.b.service)
        let key = EntryKey(secret: service.keys.entrySecret, log: service.log.origin)
        var (edge, record) = (TreeEdge(), [UInt8]())
        for entry in cluster.engine.entries {
            var batch = try Entry(entry.bytes, key: key).batch
            batch.hash(onto: &edge, withRoot: false)
            let last = batch.record(batch.count - 1)
            record = last.indices.map { last[$0] }
        }
        record[RecordLayout.typeAt] = 0xFF
        record[RecordLayout.typeAt + 1] = 0x7F
        var batch = EncodedBatch(first: head.position.next)
        batch.append(record: record.span)
        batch.hash(onto: &edge, withRoot: true)
        return Entry(batch, term: head.term, before: head.root, key: key)
    }
}
