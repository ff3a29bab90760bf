import Composition
import EventLog
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoyaltyCodec
import NIOHTTP1
import Nodes
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

/// Reads of people who are signed in, at a node that may not know which sessions have ended.
@Suite("A node that lacks events", .timeLimit(.minutes(15)))
struct StaleNodeTests {
    /// The state of a node, as a test sets it.
    private final class Switch: Sendable {
        private let state = Mutex((isStale: false, others: [NodeClient]?.none))

        var isStale: Bool { state.withLock { $0.isStale } }
        var others: [NodeClient]? { state.withLock { $0.others } }

        func turn(stale: Bool, others: [NodeClient]?) { state.withLock { $0 = (stale, others) } }

        func apply(to peers: inout NodePeers?) {
            peers?.isStale = { self.isStale }
            peers?.others = { self.others }
        }
    }

    private static func run(
        writer: String? = nil, atWriter: Switch = Switch(), _ body: @Sendable (TwoNodes, Switch) async throws -> Void
    ) async throws {
        let atFollower = Switch()
        try await TwoNodes.run(
            writer: writer, configure: { atWriter.apply(to: &$0.peers) }, following: { atFollower.apply(to: &$0.peers) }
        ) { nodes in
            try await body(nodes, atFollower)
        }
    }

    @Test("Another node answers who is signed in; public reads go on here")
    func answeredElsewhere() async throws {
        try await Self.run { nodes, node in
            let cast = try await Cast(nodes.atWriter)
            var visitor = nodes.atFollower
            visitor.token = cast.customer.token
            #expect(try await visitor.get("/v1/me").status == 200)
            #expect(try await cast.customer.delete("/v1/sessions/current").status == 204)
            #expect(try await visitor.get("/v1/me").status == 200, "the follower's cache has not heard of the end")
            node.turn(stale: true, others: [nodes.client])
            try await visitor.get("/v1/me").expectProblem("unauthenticated", 401)
            visitor.token = cast.owner.token
            #expect(try await visitor.get("/v1/me").status == 200)
            node.turn(stale: true, others: [try Self.nobody(nodes)])
            #expect(try await nodes.atFollower.get("/v1/shops/\(cast.shop)").status == 200)
            #expect(try await nodes.atFollower.get("/checkpoint").status == 200)
        }
    }

    /// Nothing listens at port 1.
    private static func nobody(_ nodes: TwoNodes) throws -> NodeClient {
        try NodeClient(try NodeAddress("http://127.0.0.1:1"), log: nodes.stage.service.log.origin, signature: nodes.signature)
    }

    @Test("Without an answer of another node, who is signed in is refused by name, and may try again soon")
    func refused() async throws {
        try await Self.run { nodes, node in
            let visitor = try await nodes.atFollower.signedIn("+8613800138001")
            for others in [nil, [try Self.nobody(nodes)]] {
                node.turn(stale: true, others: others)
                let reply = try await visitor.get("/v1/me")
                try reply.expectProblem("notCaughtUp", 503)
                #expect(reply.headers[.retryAfter] == "2")
            }
            node.turn(stale: true, others: [nodes.client])
            try await visitor.get("/v1/me/events").expectProblem("notCaughtUp", 503)
        }
    }

    @Test("A preview of a redemption, which the shared log does not see, is refused at a writer that may have been replaced")
    func previewed() async throws {
        let atWriter = Switch()
        try await Self.run(atWriter: atWriter) { nodes, _ in
            let cast = try await Cast(nodes.atWriter)
            var visitor = nodes.atFollower
            visitor.token = cast.owner.token
            for owner in [cast.owner, visitor] {
                atWriter.turn(stale: false, others: nil)
                try await owner.post("/v1/redemptions/preview", #"{"code":"AAAA-AAAA"}"#).expectProblem("redemptionNotValid", 422)
                atWriter.turn(stale: true, others: nil)
                try await owner.post("/v1/redemptions/preview", #"{"code":"AAAA-AAAA"}"#).expectProblem("writerUnavailable", 503)
            }
        }
    }

    @Test("A node that is frozen does not keep the next one from being asked")
    func frozen() async throws {
        let first = ScriptedNode { _ in .hold }
        defer { first.release() }
        try await first.whileListening { address in
            try await Self.run { nodes, node in
                let visitor = try await nodes.atFollower.signedIn("+8613800138001")
                let silent = try NodeClient(
                    try NodeAddress(address), log: nodes.stage.service.log.origin, signature: nodes.signature, forwardSeconds: 3_600)
                node.turn(stale: true, others: [silent, nodes.client])
                let read = Task { try await visitor.get("/v1/me") }
                #expect(try await read.valueInTime().status == 200)
            }
        }
        #expect(first.asked.count == 1)
    }

    @Test("If every other node hears the shared log as little and has no more events, a node answers by itself")
    func allAlike() async throws {
        let atWriter = Switch()
        try await Self.run(atWriter: atWriter) { nodes, node in
            let visitor = try await nodes.atFollower.signedIn("+8613800138001")
            node.turn(stale: true, others: [nodes.client])
            atWriter.turn(stale: true, others: nil)
            #expect(try await visitor.get("/v1/me").status == 200)
            node.turn(stale: true, others: [nodes.client, try Self.nobody(nodes)])
            try await visitor.get("/v1/me").expectProblem("notCaughtUp", 503)
            node.turn(stale: true, others: [])
            #expect(try await visitor.get("/v1/me").status == 200)
        }
        let ahead = ScriptedNode { _ in .answer(.misdirectedRequest, ["GreenTea-Node": "1", "GreenTea-Position": "\(UInt64.max)"]) }
        try await ahead.whileListening { address in
            try await Self.run { nodes, node in
                let visitor = try await nodes.atFollower.signedIn("+8613800138001")
                let other = try NodeClient(try NodeAddress(address), log: nodes.stage.service.log.origin, signature: nodes.signature)
                node.turn(stale: true, others: [other])
                try await visitor.get("/v1/me").expectProblem("notCaughtUp", 503)
                #expect(ahead.asked.count == 1)
            }
        }
    }

    /// The positions that a node was asked to wait for; in the next wait something happens.
    private final class Wait: Sendable {
        private let state = Mutex((asked: [Position](), isReached: true, act: (@Sendable () async -> Void)?.none))

        var asked: [Position] { state.withLock { $0.asked } }

        func next(isReached: Bool = true, _ act: @escaping @Sendable () async -> Void = {}) {
            state.withLock { $0 = ([], isReached, act) }
        }

        func wait(_ position: Position) async -> Bool {
            let (isReached, act) = state.withLock { state in
                state.asked.append(position)
                return (state.isReached, state.act)
            }
            await act?()
            return isReached
        }
    }

    @Test("A session that ended through the position that a client names is refused, whether a header or a cookie names it")
    func endedBefore() async throws {
        try await onStage { stage, atWriter in
            let wait = Wait()
            var peers = NodePeers(signature: NodeSignature(secret: [1], log: stage.service.log.origin)) { .this }
            peers.knowsSessions = { position, _ in await wait.wait(position) }
            let api = try stage.node(peers)
            try await api.listening { visitor, _ in
                try await Self.endedBefore(stage, api, visitor, wait, atWriter)
            }
        }
    }

    /// The end of a token's session at another node, as this one follows it.
    private static func end(_ token: String?, _ stage: Stage, _ api: API, _ atWriter: Visitor) async throws -> @Sendable () async -> Void {
        let verified = try #require(await api.resources.signing.tokens.verify(token ?? "", at: stage.clock.now()))
        var holder = atWriter
        holder.token = token
        return { [holder] in
            _ = try? await holder.delete("/v1/sessions/current")
            api.resources.gate.end(verified.bearer.session)
        }
    }

    private static func endedBefore(
        _ stage: Stage, _ api: API, _ visitor: Visitor, _ wait: Wait, _ atWriter: Visitor
    ) async throws {
        let one = try await visitor.signedIn("+8613800138001")
        #expect(try await one.get("/v1/me").status == 200)
        wait.next(isReached: false)
        try await one.get("/v1/me").expectProblem("notCaughtUp", 503)
        wait.next(try await end(one.token, stage, api, atWriter))
        try await one.get("/v1/me").expectProblem("unauthenticated", 401)
        #expect(wait.asked.count == 1)
        let browser = try await Browser(visitor, signedInAs: "+8613800138002")
        let head = stage.head
        browser.jar[PositionCookie.name] = "\(head)"
        #expect(try await browser.send(.get, "/v1/me", headers: [.minPosition: ""]).status == 200)
        wait.next(try await end(browser.jar[Browser.accessName], stage, api, atWriter))
        try await browser.send(.get, "/v1/me", headers: [.minPosition: ""]).expectProblem("unauthenticated", 401)
        #expect(wait.asked == [Position(head)])
    }
}
