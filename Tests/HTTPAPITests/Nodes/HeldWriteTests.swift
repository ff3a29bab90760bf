import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import LoyaltyCodec
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Nodes
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

/// The clock stands still, so time passes only in a scripted wait.
@Suite("Writes while the writer changes", .timeLimit(.minutes(15)))
struct HeldWriteTests {
    /// The writer of the cluster, as a test sets it.
    private final class Place: Sendable {
        private struct State {
            var writer = NodePeers.Writer.unknown
            var waits: [Double] = []
        }

        private let state = Mutex(State())
        private let pass: @Sendable (Place) -> Void

        /// - Parameter pass: called in each wait of a request.
        init(_ writer: NodePeers.Writer = .unknown, _ pass: @escaping @Sendable (Place) -> Void = { _ in }) {
            self.pass = pass
            set(writer)
        }

        func set(_ writer: NodePeers.Writer) { state.withLock { $0.writer = writer } }

        var waits: [Double] { state.withLock { $0.waits } }

        func peers(_ signature: NodeSignature) -> NodePeers {
            NodePeers(
                signature: signature, writer: { self.state.withLock { $0.writer } },
                awaitWriter: { seconds in
                    self.state.withLock { $0.waits.append(seconds) }
                    self.pass(self)
                })
        }
    }

    private static let path = "/v1/verifications"
    private static let body = #"{"phone":"+8613800138000"}"#

    private static func signature(_ stage: Stage) -> NodeSignature {
        NodeSignature(secret: stage.service.keys.nodeSecret, log: stage.service.log.origin, epoch: TwoNodes.epoch) { 0 }
    }

    private static func client(_ address: String, _ stage: Stage) throws -> NodeClient {
        try NodeClient(
            try NodeAddress(address), log: stage.service.log.origin, signature: signature(stage), answerSeconds: 300, forwardSeconds: 3_600)
    }

    /// - Parameter place: made for the stage of the node.
    private static func run(
        _ place: @Sendable (Stage) throws -> Place, _ body: @Sendable (Visitor, Place) async throws -> Void
    ) async throws {
        try await onStage { stage, _ in
            let place = try place(stage)
            try await stage.node(place.peers(signature(stage))).listening { visitor, _ in try await body(visitor, place) }
        }
    }

    @Test("A write that was held is decided here once this node writes")
    func here() async throws {
        try await Self.run({ _ in Place { $0.set(.this) } }) { visitor, place in
            let reply = try await visitor.post(Self.path, Self.body)
            #expect(reply.status == 202, "\(reply.text)")
            #expect(place.waits == [1])
        }
    }

    @Test("A write that was held goes to the node that writes then, as it was")
    func there() async throws {
        let writer = ScriptedNode { _ in .answer(.created) }
        try await writer.whileListening { address in
            try await Self.run({ stage in
                let client = try Self.client(address, stage)
                return Place { $0.set(.other(client)) }
            }) { visitor, place in
                let reply = try await visitor.post(Self.path, Self.body)
                #expect(reply.status == 201 && place.waits == [1] && writer.asked.map(\.body) == [Array(Self.body.utf8)])
            }
        }
    }

    @Test("Without a writer, a write is refused after five seconds, and not before")
    func nobody() async throws {
        try await Self.run({ stage in Place { _ in stage.clock.advance(seconds: 1) } }) { visitor, place in
            let reply = try await visitor.post(Self.path, Self.body, key: "k")
            try reply.expectProblem("writerUnavailable", 503)
            #expect(reply.headers[.retryAfter] == "2")
            #expect(place.waits == [1, 1, 1, 1, 1])
        }
    }

    /// One node does not write, and in the wait another one begins to.
    private static func change(
        from first: String, key: String?, _ check: @escaping @Sendable (Reply, _ second: ScriptedNode, _ waits: Int) throws -> Void
    ) async throws {
        let second = ScriptedNode { _ in .answer(.created) }
        try await second.whileListening { address in
            try await run({ stage in
                let next = try client(address, stage)
                return Place(.other(try client(first, stage))) { $0.set(.other(next)) }
            }) { visitor, place in
                try check(try await visitor.post(path, body, key: key), second, place.waits.count)
            }
        }
    }

    @Test("A write that did not leave, because its writer has gone, goes to the next one", arguments: [nil, "key"])
    func notSent(_ key: String?) async throws {
        // Nothing listens at port 1.
        try await Self.change(from: "http://127.0.0.1:1", key: key) { reply, second, waits in
            #expect(reply.status == 201 && second.asked.count == 1 && waits == 1)
        }
    }

    @Test("A write whose answer was lost goes to the next writer only with a key", arguments: [nil, "key"])
    func lost(_ key: String?) async throws {
        let first = ScriptedNode { _ in .close }
        try await first.whileListening { address in
            try await Self.change(from: address, key: key) { reply, second, waits in
                if key == nil { try reply.expectProblem("writerUnavailable", 503) } else { #expect(reply.status == 201) }
                #expect(first.asked.count == (key == nil ? 1 : 2))
                #expect(second.asked.count == (key == nil ? 0 : 1) && waits == second.asked.count)
            }
        }
    }

    @Test("A write at a writer that is frozen goes to the next one as soon as that is named, if it has a key", arguments: [nil, "key"])
    func frozen(_ key: String?) async throws {
        let (first, second) = (ScriptedNode { _ in .hold }, ScriptedNode { _ in .answer(.created) })
        defer { first.release() }
        try await first.whileListening { address in
            try await second.whileListening { next in
                try await onStage { stage, _ in
                    let place = Place(.other(try Self.client(address, stage)))
                    let next = try Self.client(next, stage)
                    try await stage.node(place.peers(Self.signature(stage))).listening { visitor, _ in
                        try await Self.replace(first, place, .other(next), visitor, key)
                    }
                }
            }
        }
        #expect(first.asked.count == 1 && second.asked.count == (key == nil ? 0 : 1))
    }

    private static func replace(
        _ first: ScriptedNode, _ place: Place, _ next: NodePeers.Writer, _ visitor: Visitor, _ key: String?
    ) async throws {
        let write = Task { try await visitor.post(path, body, key: key) }
        try await eventually("the first one has the write") { !first.asked.isEmpty }
        place.set(next)
        let reply = try await write.valueInTime()
        if key == nil { try reply.expectProblem("writerUnavailable", 503) } else { #expect(reply.status == 201) }
    }

    @Test("A node that writes no more says so, and the write goes to the next one", arguments: [nil, "key"])
    func handedOver(_ key: String?) async throws {
        let first = ScriptedNode { _ in .answer(.misdirectedRequest) }
        try await first.whileListening { address in
            try await Self.change(from: address, key: key) { reply, second, _ in
                #expect(reply.status == 201 && first.asked.count == 1 && second.asked.count == 1)
            }
        }
    }

    @Test("A node that hands over brings what was in its queue to the next writer, and lets go of clients who have gone")
    func handingOver() async throws {
        let next = ScriptedNode { _ in .answer(.created) }
        try await next.whileListening { address in
            try await onStage { stage, _ in
                let client = try Self.client(address, stage)
                let (place, signature) = (Place(.this), Self.signature(stage))
                let proxy = WriteProxy(resources: stage.api.resources, peers: place.peers(signature))
                let route = proxy.wrapping(
                    Route(method: .post, path: Self.path) { request, _ in
                        let sent = try await request.bytes(atMost: 100)
                        #expect(sent == Array(Self.body.utf8))
                        place.set(.other(client))
                        throw ServiceError.notWriter
                    })
                let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: Self.path)
                let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: Self.body)))
                // Its channel is not connected.
                let context = APIContext(
                    source: ApplicationRequestContextSource(
                        channel: EmbeddedChannel(), logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() })))
                #expect(try await route.handler(request, context).status == .created)
                #expect(next.asked.map(\.body) == [Array(Self.body.utf8)])
                place.set(.this)
                let header = signature.header("POST", Self.path, body: Array(Self.body.utf8), epoch: TwoNodes.epoch)
                let hop = NodeHop.verified(try signature.verify(header, "POST", Self.path))
                let answer = try await NodeHop.$current.withValue(hop) { try await route.handler(request, context) }
                #expect(answer.status == .misdirectedRequest && next.asked.count == 1)
                place.set(.unknown)
                let problem = await #expect(throws: Problem.self) { try await route.handler(request, context) }
                #expect(problem?.code == .writerUnavailable && place.waits.isEmpty)
            }
        }
    }
}
