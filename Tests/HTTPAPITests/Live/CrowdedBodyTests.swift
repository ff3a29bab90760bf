import NIOCore
import NIOEmbedded
import NIOHTTP1
import Nodes
import Prometheus
import Testing

@testable import HTTPAPI

@Suite("Bodies beside a crowd", .timeLimit(.minutes(15)))
struct CrowdedBodyTests {
    private typealias Scene = ConnectionGuardTests.Scene

    @Test(
        "Twenty uploads that stall short of their end and send a byte now and then keep no equal one from their address or another",
        arguments: [false, true])
    func uploads(_ isElsewhere: Bool) throws {
        let size = 100_000
        let bodies = BodyBudget(pictures: 20 * size)
        func upload(_ count: Int, at address: String, after seconds: Int64 = 0) throws -> Scene {
            let scene = try Scene(sharing: bodies, at: address)
            scene.loop.advanceTime(by: .seconds(seconds))
            try scene.ask(uri: "/v1/images")
            try? scene.send(Limits.bodyBytesFree + count)
            return scene
        }
        let crowd = try (0..<20).map { _ in try upload(size - 600, at: "203.0.113.7") }
        #expect(bodies.taken(from: .pictures) <= 10 * size)
        for scene in crowd {
            scene.loop.advanceTime(by: .seconds(3))
            try? scene.send(1)
        }
        let other = try upload(size, at: isElsewhere ? "203.0.113.8" : "203.0.113.7", after: 3)
        #expect(try other.answered() == nil)
        try other.end()
        try other.answer()
        #expect(try other.answered()?.head.status == .ok)
        let refused = try crowd.compactMap { try $0.answered() }.filter { $0.head.status == .serviceUnavailable }
        #expect(refused.count >= (isElsewhere ? 10 : 11), "what gave way was answered")
    }

    @Test("An address with its share of the bytes gets no more by lines of X-Forwarded-For of its own")
    func forged() throws {
        let (size, bodies) = (100_000, BodyBudget(pictures: 2_000_000))
        for number in 0..<20 {
            let scene = try Scene(sharing: bodies)
            try scene.ask(["host": "a", "x-forwarded-for": "198.51.100.\(number)", "X-Forwarded-For": "203.0.113.7"], uri: "/v1/images")
            try? scene.send(Limits.bodyBytesFree + size)
        }
        #expect(bodies.taken(from: .pictures) <= 10 * size)
    }

    @Test("Clients behind one node have a share of the bytes each, and what nodes send for themselves is in a pool of its own")
    func nodes() async throws {
        let (secret, log): ([UInt8], String) = ([1], "log.example/tea")
        let node = NodeSignature(secret: secret, log: log, epoch: 7) { 0 }
        let stranger = NodeSignature(secret: [2], log: log, epoch: 7) { 0 }
        try await onStage(try Stage(configure: { $0.peers = NodePeers(signature: node) { .this } })) { stage, _ in
            let size = 100_000
            let bodies = BodyBudget(ordinary: 10 * size)
            var scenes: [Scene] = []
            func isTaken(from signer: NodeSignature, for client: String?, _ uri: String = "/v1/stamps", epoch: UInt64 = 7) throws -> Bool {
                let scene = try Scene(sharing: bodies, sender: stage.api.connections.sender)
                scenes.append(scene)
                let header = signer.header("POST", uri, for: client, epoch: epoch)
                try scene.ask(["host": "a", "greentea-node": header], uri: uri)
                try? scene.send(Limits.bodyBytesFree + size)
                return try scene.answered() == nil
            }
            for client in ["203.0.113.7", "2001:db8::1"] {
                for number in 0..<6 { #expect(try isTaken(from: node, for: client) == (number < 5), "\(client), \(number)") }
            }
            #expect(bodies.taken(from: .ordinary) == 10 * size)
            #expect(try isTaken(from: node, for: nil, "/node/rows"))
            #expect(bodies.taken(from: .nodes) == size && bodies.taken(from: .ordinary) == 10 * size)
            _ = try isTaken(from: stranger, for: nil, "/node/rows")
            _ = try isTaken(from: node, for: nil, "/node/rows", epoch: 8)
            _ = try isTaken(from: node, for: "203.0.113.9", "/node/rows")
            #expect(bodies.taken(from: .nodes) == size, "strangers, and clients of nodes, have nothing of it")
        }
    }

    @Test("A request whose place another client takes is refused before its answer, cut off within it, and spared after it")
    func displaced() throws {
        let scene = try Scene()
        try scene.ask()
        try scene.end()
        try scene.answer()
        scene.channel.pipeline.fireUserInboundEventTriggered(Displacement())
        #expect(scene.channel.isActive)
        try scene.ask()
        try scene.end()
        scene.channel.pipeline.fireUserInboundEventTriggered(Displacement())
        #expect(!scene.channel.isActive)
        #expect(scene.registry.text.contains(#"greentea_connections_cut_off_total{reason="displaced"} 1"#))
    }
}
