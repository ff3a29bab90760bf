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
        "Twenty uploads from one address that fill its bytes keep neither that address nor another from an upload",
        arguments: [false, true])
    func uploads(_ isElsewhere: Bool) throws {
        let size = 100_000
        let bodies = BodyBudget(pictures: 20 * size)
        func upload(_ count: Int, at address: String) throws -> Scene {
            let scene = try Scene(sharing: bodies, at: address)
            try scene.ask(uri: "/v1/images")
            try? scene.send(Limits.bodyBytesFree + count)
            return scene
        }
        let crowd = try (0..<20).map { _ in try upload(size - 600, at: "203.0.113.7") }
        #expect(bodies.taken(from: .pictures) <= 10 * size)
        let other = try upload(isElsewhere ? size : size / 3, at: isElsewhere ? "203.0.113.8" : "203.0.113.7")
        #expect(try other.answered() == nil)
        try other.end()
        try other.answer()
        #expect(try other.answered()?.head.status == .ok)
        let refused = try crowd.compactMap { try $0.answered() }.filter { $0.head.status == .serviceUnavailable }
        #expect(refused.count >= (isElsewhere ? 10 : 11), "what gave way was answered")
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
