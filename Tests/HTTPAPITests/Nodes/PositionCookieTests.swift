import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Nodes
import Testing

@testable import HTTPAPI

@Suite("The position of a browser's last write", .timeLimit(.minutes(15)))
struct PositionCookieTests {
    private static func request(_ cookies: [String]) -> Request {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v1/me")
        for cookie in cookies { head.headerFields.append(HTTPField(name: .cookie, value: cookie)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private static let context = APIContext(
        source: ApplicationRequestContextSource(
            channel: EmbeddedChannel(), logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() })))

    @Test("Each write of a browser is remembered, at the node that follows and at the writer that knows of it")
    func remembered() async throws {
        try await TwoNodes.run { nodes in
            let browser = try await Browser(nodes.atFollower, signedInAs: "+8613800138001")
            #expect(browser.jar[PositionCookie.name] == "\(nodes.stage.head)")
            #expect(try await browser.send(.patch, "/v1/me", #"{"nickname":"小明"}"#).status == 200)
            let position = nodes.stage.head
            #expect(browser.jar[PositionCookie.name] == "\(position)")
            let atWriter = Browser(nodes.atWriter)
            atWriter.jar = browser.jar
            #expect(try await atWriter.send(.patch, "/v1/me", #"{"nickname":"小红"}"#).status == 200)
            #expect(nodes.stage.head > position && atWriter.jar[PositionCookie.name] == "\(nodes.stage.head)")
            // A token is no browser's, and its holder names positions itself.
            let visitor = try await nodes.atFollower.signedIn("+8613800138002")
            let reply = try await visitor.patch("/v1/me", #"{"nickname":"小明"}"#)
            #expect(reply.status == 200 && reply.headers[.setCookie] == nil)
        }
    }

    @Test("A repeated answer takes nothing back")
    func replayed() async throws {
        try await TwoNodes.run { nodes in
            let browser = try await Browser(nodes.atFollower, signedInAs: "+8613800138001")
            for name in ["a", "b", "a"] { _ = try await browser.send(.patch, "/v1/me", #"{"nickname":"\#(name)"}"#, key: name) }
            #expect(browser.jar[PositionCookie.name] == "\(nodes.stage.head)")
        }
    }

    @Test("A server that no node has asked sets no such cookie")
    func alone() async throws {
        let signature = NodeSignature(secret: [1], log: "log.example/tea")
        try await onStage(try Stage(configure: { $0.peers = NodePeers(signature: signature) { .this } })) { _, visitor in
            let browser = try await Browser(visitor, signedInAs: "+8613800138001")
            #expect(try await browser.send(.patch, "/v1/me", #"{"nickname":"小明"}"#).status == 200)
            #expect(Set(browser.jar.keys) == [Browser.accessName, Browser.refreshName])
        }
    }

    @Test("A value that no node has set is ignored")
    func hostile() async throws {
        try await onStage { stage, _ in
            let (log, name) = (stage.service.log, PositionCookie.name)
            let most = stage.head + Limits.readyLagEventsMax
            let values = ["", "-1", "x", "1.0", "\(most + 1)", "\(UInt64.max)", "18446744073709551616"]
            for value in values { #expect(PositionCookie.position(in: Self.request(["\(name)=\(value)"]), of: log) == nil, "\(value)") }
            #expect(PositionCookie.position(in: Self.request(["\(name)=1; \(name)=2"]), of: log) == nil)
            #expect(PositionCookie.position(in: Self.request(["\(name)=1", "\(name)=1"]), of: log) == nil)
            #expect(PositionCookie.position(in: Self.request([]), of: log) == nil)
            #expect(PositionCookie.position(in: Self.request(["a=b; \(name)=\(most)"]), of: log)?.rawValue == most)
        }
    }

    @Test("The next page waits for the write, and an older one is shown if that does not arrive")
    func awaited() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let (wanted, isFirst) = (stage.head + 1, FirstTime())
            let signature = NodeSignature(secret: [1], log: "log.example/tea")
            // Nothing listens at port 1.
            let client = try NodeClient(try NodeAddress("http://127.0.0.1:1"), log: "log.example/tea", signature: signature)
            let peers = NodePeers(signature: signature) {
                // Asked just before the wait.
                if isFirst.isFirst() { Task { try await cast.issue() } }
                return .other(client)
            }
            let log = stage.service.log
            let route = Route.get("/v1/me") { _, _ in Response(status: log.head.rawValue >= wanted ? .ok : .conflict) }
                .followingBrowsers(of: stage.api.resources, peers)
            let answer = try await route.handler(Self.request(["\(PositionCookie.name)=\(wanted)"]), Self.context)
            #expect(answer.status == .ok)
            let late = try await route.handler(Self.request(["\(PositionCookie.name)=\(stage.head + 1)"]), Self.context)
            #expect(late.status == .ok)
        }
    }
}
