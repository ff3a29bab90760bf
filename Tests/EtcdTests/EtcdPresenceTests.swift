import EventLog
import Foundation
import Merkle
import Patience
import Testing

@testable import Etcd

/// Nodes tell each other through a real etcd that they are alive.
@Suite(.enabled(if: EtcdServer.isThere, EtcdServer.isMissing), .sharedEtcd, .timeLimit(.minutes(15))) struct EtcdPresenceTests {
    /// A process of the cluster.
    private struct Member {
        let log: EtcdLog
        var note: NodeNote

        init(_ name: String, process: UInt64 = 1, in cluster: String, aliveSeconds: Int = 600) throws {
            let name = try NodeName.named(name)
            let settings = try EtcdSettings(endpoints: [SharedEtcd.endpoint], requestSeconds: 20, aliveSeconds: aliveSeconds)
            log = EtcdLog(settings, log: cluster, node: name, process: process)
            note = NodeNote(name: name, process: process, url: "http://\(name).example", version: "1", clock: .max, position: .max)
        }

        @discardableResult
        func beat(writes: Bool = false) throws -> PresenceView { try log.beat(note, writes: writes) }

        func claim(_ old: Head?) throws -> SharedLogAnswer { try log.claim(replacing: old, as: head(after: old)) }

        func head(after old: Head?) -> Head {
            Head(term: (old?.term ?? 0) + 1, writer: note.name, process: note.process, position: .start, root: TreeHasher.emptyRoot)
        }
    }

    private let cluster = UUID().uuidString

    @Test("Nodes see each other's newest notes, and the one that has claimed as the writer")
    func beats() throws {
        var a = try Member("a", in: cluster), b = try Member("b", in: cluster)
        #expect(try a.beat() == PresenceView(nodes: [a.note.name: a.note]))
        #expect(try b.beat(writes: true).nodes.count == 2)
        a.note.hindrance = "its disk is full"
        (a.note.position, b.note.clock) = (7, -1)
        try a.beat()
        let nodes = [a.note.name: a.note, b.note.name: b.note]
        #expect(try b.beat(writes: true) == PresenceView(writer: b.note.name, nodes: nodes))
        #expect(try a.beat(writes: true) == PresenceView(writer: b.note.name, nodes: nodes), "the first is named")
        #expect(try Member("c", in: cluster).log.view() == PresenceView(writer: b.note.name, nodes: nodes), "a reader tells nothing")
    }

    @Test("A claim waits for another writer's key to end, and not for this process's own")
    func claims() throws {
        let a = try Member("a", in: cluster), b = try Member("b", in: cluster)
        try b.beat(writes: true)
        #expect(try a.claim(nil) == .superseded(nil))
        #expect(try b.claim(nil) == .durable)
        try b.log.resign()
        #expect(try a.beat() == b.beat())
        #expect(try a.beat().writer == nil)
        let before = b.head(after: nil), after = a.head(after: before)
        #expect(try a.claim(before) == .durable)
        #expect(try a.log.view().writer == a.note.name)
        #expect(try b.claim(after) == .superseded(after), "not before the first writer's next beat")
    }

    @Test("A writer that no longer writes withdraws with its next beat, in case the answer to its resignation was lost")
    func withdrawal() throws {
        let a = try Member("a", in: cluster), b = try Member("b", in: cluster)
        try a.beat(writes: true)
        try b.beat()
        try b.log.resign()
        #expect(try b.beat().writer == a.note.name, "only its own")
        #expect(try a.beat().writer == nil)
    }

    @Test("A second process with the same name neither replaces the first one's note nor counts as the writer")
    func oneNameTwice() throws {
        let first = try Member("a", process: 1, in: cluster), second = try Member("a", process: 2, in: cluster)
        try first.beat(writes: true)
        for writes in [false, true] { #expect(try second.beat(writes: writes).nodes == [first.note.name: first.note]) }
        try second.log.resign()
        #expect(try first.beat(writes: true).writer == first.note.name)
        #expect(try second.claim(nil) == .superseded(nil))
        try first.log.leave()
        #expect(try second.beat().nodes == [second.note.name: second.note])
    }

    @Test("All that a node has told vanishes at once when it leaves, and its next beat tells it again")
    func leaving() throws {
        let a = try Member("a", in: cluster), b = try Member("b", in: cluster)
        try a.log.leave()
        try a.beat(writes: true)
        try a.log.leave()
        #expect(try b.beat() == PresenceView(nodes: [b.note.name: b.note]))
        try a.log.leave()
        #expect(try a.beat(writes: true).writer == a.note.name)
        #expect(try b.beat().nodes.count == 2)
    }

    @Test("A node that is silent vanishes by itself, and returns with its next beat")
    func silence() async throws {
        let a = try Member("a", in: cluster, aliveSeconds: 2), b = try Member("b", in: cluster)
        try a.beat(writes: true)
        try await eventually("the silent node vanishes") { try b.beat() == PresenceView(nodes: [b.note.name: b.note]) }
        try await eventually("it is there again") {
            // On a busy machine its lease may end within the beat.
            _ = try? a.beat(writes: true)
            return try b.beat() == PresenceView(writer: a.note.name, nodes: [a.note.name: a.note, b.note.name: b.note])
        }
    }

    @Test("All nodes see a wish until it is taken back")
    func wishes() throws {
        let a = try Member("a", in: cluster), b = try Member("b", in: cluster)
        for name in [b.note.name, a.note.name] {
            try a.log.wish(for: name)
            #expect(try a.beat().wished == name)
            #expect(try b.beat().wished == name)
        }
        try b.log.wish(for: nil)
        #expect(try a.beat().wished == nil)
    }

    @Test("A wish ends by itself")
    func wishEnds() async throws {
        let a = try Member("a", in: cluster, aliveSeconds: 2)
        try a.log.wish(for: a.note.name)
        try await eventually("the wish ends") { try a.log.view().wished == nil }
    }

    @Test("Notes that no program of ours has written, are too long or have another name are left out")
    func foreignNotes() throws {
        let a = try Member("a", in: cluster), keys = a.log.keys
        let other = try NodeName.named("other")
        var long = a.note
        (long.name, long.hindrance) = (other, String(repeating: "x", count: 20_000))
        for value in [Data(), Data([9, 200]), Data("{}".utf8), try Gateway.encoded(a.note), try Gateway.encoded(long)] {
            _ = try a.log.gateway.ask("/v3/kv/put", PutRequest(key: keys.node(other), value: value), .once)
            _ = try a.log.gateway.ask("/v3/kv/put", PutRequest(key: Data(keys.nodes.first + value.prefix(1)), value: value), .once)
            #expect(try a.beat().nodes == [a.note.name: a.note])
        }
        for (key, value) in [(keys.writer, "Ä"), (keys.wish, "NO")] {
            _ = try a.log.gateway.ask("/v3/kv/put", PutRequest(key: key, value: Data(value.utf8)), .once)
        }
        #expect(try a.beat() == PresenceView(nodes: [a.note.name: a.note], foreign: Array("Ä".utf8)))
    }

    @Test("A writer's name without a lease, or that is none, can be replaced and removed, and nothing else can")
    func foreignWriter() throws {
        let a = try Member("a", in: cluster), keys = a.log.keys
        for value in ["b 1", "a", "a 1 2", "a x", "https://a.example"] {
            let bytes = Array(value.utf8)
            _ = try a.log.gateway.ask("/v3/kv/put", PutRequest(key: keys.writer, value: Data(bytes)), .once)
            let view = try a.beat(writes: true)
            #expect(view.writer == nil && view.foreign == bytes, "\(value)")
            #expect(try a.claim(nil) == .superseded(nil))
            try a.log.expel(bytes + [0], writes: true)
            #expect(try a.log.view().foreign == bytes)
            try a.log.expel(bytes, writes: true)
            try a.log.expel(bytes, writes: false)
            #expect(try a.log.view().writer == a.note.name)
            try a.log.resign()
            _ = try a.log.gateway.ask("/v3/kv/put", PutRequest(key: keys.writer, value: Data(bytes)), .once)
            try a.log.expel(bytes, writes: false)
            #expect(try a.beat() == PresenceView(nodes: [a.note.name: a.note]))
        }
    }
}
