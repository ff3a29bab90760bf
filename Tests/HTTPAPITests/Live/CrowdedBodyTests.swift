import NIOCore
import NIOEmbedded
import NIOHTTP1
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
