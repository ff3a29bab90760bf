import Caches
import CommandService
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Nodes
import Patience
import Testing

@testable import HTTPAPI

@Suite("Writes at a node that follows", .timeLimit(.minutes(15)))
struct WriteProxyTests {
    private static let path = "/v1/sessions"

    @Test("A shop's day works at a node that follows: sign-ins, writes, repetitions, refusals, and reads right after")
    func day() async throws {
        try await TwoNodes.run { nodes in
            let cast = try await Cast(nodes.atFollower)
            let code = try await cast.issue(stamps: 3).code
            let stamped = try await cast.stamp(code, key: "a")
            #expect(stamped.status == 201 || stamped.status == 200, "\(stamped.text)")
            #expect(stamped.position == nodes.stage.head)
            let again = try await cast.stamp(code, key: "a")
            #expect(again.replayed == "true" && again.body == stamped.body)
            try await cast.stamp(code, key: "b").expectProblem("codeNotValid", 422)
            // No position is named: the node itself remembers the account's write.
            let cards = try await cast.customer.get("/v1/me/cards", headers: [.minPosition: ""])
            #expect(try cards.json["items"]?.items?.count == 1)
            let edit = try await cast.owner.get("/v1/shops/\(cast.shop)")
            let headers: HTTPFields = [.ifMatch: try #require(edit.headers[.eTag])]
            let renamed = try await cast.owner.patch("/v1/shops/\(cast.shop)", #"{"name":"好喝"}"#, headers: headers)
            #expect(renamed.status == 200 && renamed.headers[.eTag] != nil, "\(renamed.text)")
            #expect(try await cast.customer.delete("/v1/sessions/current").status == 204)
            try await cast.customer.get("/v1/me").expectProblem("unauthenticated", 401)
        }
    }

    @Test("Cookies pass in both directions, and so does the word of the browser about its page")
    func cookies() async throws {
        try await TwoNodes.run { nodes in
            let asked = try await nodes.atFollower.post("/v1/verifications", #"{"phone":"+8613800138002"}"#)
            let body = #"{"phone":"+8613800138002","code":"\#(try asked.string("devCode"))"}"#
            let named: HTTPFields = [.greenTeaSession: "cookie"]
            try await nodes.atFollower.post(Self.path, body, headers: named).expectProblem("forbidden", 403)
            let own: HTTPFields = [.greenTeaSession: "cookie", .secFetchSite: "same-origin"]
            let signedIn = try await nodes.atFollower.post(Self.path, body, headers: own)
            #expect(signedIn.status == 201, "\(signedIn.text)")
            let cookies = signedIn.headers[values: .setCookie].compactMap { $0.split(separator: ";").first.map(String.init) }
            #expect(cookies.count == 3)
            let sent: HTTPFields = [
                .cookie: cookies.joined(separator: "; "), .secFetchSite: "same-origin", .greenTeaSession: "cookie",
            ]
            #expect(try await nodes.atFollower.get("/v1/me", headers: sent).status == 200)
            let refreshed = try await nodes.atFollower.post("/v1/sessions/refresh", headers: sent)
            #expect(refreshed.status == 201, "\(refreshed.text)")
        }
    }

    @Test("A picture arrives whole, and one that is too large is refused here")
    func picture() async throws {
        let writer = ScriptedNode { _ in .answer(.created, ["GreenTea-Node": "1", "Content-Type": "application/json"], Array("{}".utf8)) }
        try await writer.whileListening { address in
            try await TwoNodes.run(writer: address) { nodes in
                let bytes = StoredFile.bytes(1 << 20)
                let token = try await nodes.atWriter.signedIn("+8613800138001").token
                let reply = try await Self.upload(bytes, nodes, token)
                #expect(reply.status == 201 && reply.text == "{}")
                #expect(writer.asked.map(\.body) == [bytes])
                try await Self.upload([1, 2, 3], nodes, nil).expectProblem("unauthenticated", 401)
                // Last, because the connection may end before the client has sent the rest and reads the answer.
                let refused = try? await Self.upload(StoredFile.bytes(9 << 20), nodes, token)
                #expect(refused == nil || refused?.status == 413)
                #expect(writer.asked.count == 1)
            }
        }
    }

    private static func upload(_ bytes: [UInt8], _ nodes: TwoNodes, _ token: String?) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "image/png"]
        if let token { headers[.authorization] = "Bearer " + token }
        return try await nodes.atFollower.client.execute(
            uri: "/v1/images", method: .post, headers: headers, body: ByteBuffer(bytes: bytes)
        ) { Reply($0) }
    }

    @Test("A real picture that was sent to one node is shown by the other")
    func stored() async throws {
        try await TwoNodes.run { nodes in
            let owner = try await nodes.atFollower.signedIn("+8613800138001")
            let image = try await owner.picture()
            #expect(try await nodes.atFollower.get("/v1/images/\(image)").status == 200)
        }
    }

    @Test("The largest body arrives, also if the node has to sign again after it")
    func signedAgain() async throws {
        try await TwoNodes.run { nodes in
            let reply = try await nodes.atFollower.post(Self.path, String(repeating: " ", count: Limits.bodyBytesMax))
            try reply.expectProblem("invalidRequest", 400)
        }
    }

    @Test("The writer gets the request as it was, without the headers of one connection, and signed")
    func headers() async throws {
        let writer = ScriptedNode { number in
            number == 1
                ? .answer(.misdirectedRequest, ["GreenTea-Node": "other", "GreenTea-Node-Epoch": "7"])
                : .answer(.ok, ["GreenTea-Node": "1", "Connection": "X-Own", "X-Own": "1", "ETag": "\"7\""])
        }
        try await writer.whileListening { address in
            try await TwoNodes.run(writer: address) { nodes in
                let reply = try await nodes.atFollower.patch(
                    "/v1/me?a=%E5%A5%BD", "{}", key: "k",
                    headers: [.authorization: "Bearer x", .cookie: "a=b", .origin: "https://greentea.example", .forwardedFor: "1.2.3.4"])
                #expect(reply.status == 200 && reply.headers[.eTag] == "\"7\"" && reply.headers[HTTPField.Name("X-Own")!] == nil)
                #expect(reply.headers[.greenTeaNode] == nil)
                // The first one was signed without an epoch.
                let asked = try #require(writer.asked.last)
                #expect(writer.asked.count == 2 && asked.head.method == .PATCH && asked.head.uri == "/v1/me?a=%E5%A5%BD")
                #expect(asked.body == Array("{}".utf8))
                for (name, value) in [
                    ("Authorization", "Bearer x"), ("Cookie", "a=b"), ("Origin", "https://greentea.example"), ("Idempotency-Key", "k"),
                    ("Content-Type", "application/json"),
                ] { #expect(asked.head.headers[name] == [value], "\(name)") }
                #expect(asked.head.headers["X-Forwarded-For"] == [])
                #expect(asked.head.headers["X-Request-ID"] == [reply.headers[.requestID] ?? ""])
                let header = try #require(asked.head.headers.first(name: NodeSignature.headerName))
                let signed = try nodes.signature.verify(header, "PATCH", asked.head.uri)
                #expect(signed.covers(asked.body) && signed.client == nil)
            }
        }
    }

    @Test("An answer that is lost is asked for again only with a key, and only once", arguments: [nil, "key"], [1, 9])
    func lost(_ key: String?, _ losses: Int) async throws {
        let writer = ScriptedNode { $0 <= losses ? .close : .answer(.created) }
        try await writer.whileListening { address in
            try await TwoNodes.run(writer: address) { nodes in
                let reply = try await nodes.atFollower.post(Self.path, "{}", key: key)
                if key != nil, losses == 1 {
                    #expect(reply.status == 201)
                } else {
                    try reply.expectProblem("writerUnavailable", 503)
                    #expect(reply.headers[.retryAfter] == "2")
                }
                #expect(writer.asked.count == (key == nil ? 1 : 2))
                #expect(writer.asked.allSatisfy { $0.body == Array("{}".utf8) })
            }
        }
    }

    @Test("An answer of something that is no node, or does not know this one, is not passed on", arguments: [200, 404, 500])
    func stranger(_ status: Int) async throws {
        let writer = ScriptedNode { _ in .answer(.init(statusCode: status), [:]) }
        try await writer.whileListening { address in
            try await TwoNodes.run(writer: address) { nodes in
                try await nodes.atFollower.post(Self.path, "{}", key: "k").expectProblem("writerUnavailable", 503)
                #expect(writer.asked.count == 1)
            }
        }
    }

    @Test("Without a writer, writes are refused with a time to try again, and reads go on")
    func away() async throws {
        // Nothing listens at port 1.
        try await TwoNodes.run(writer: "http://127.0.0.1:1") { nodes in
            let visitor = try await nodes.atWriter.signedIn("+8613800138001")
            var follower = nodes.atFollower
            follower.token = visitor.token
            let refused = try await follower.post("/v1/shops", Cast.shopBody, key: "k")
            try refused.expectProblem("writerUnavailable", 503)
            #expect(refused.headers[.retryAfter] == "2")
            #expect(try await follower.get("/v1/me").status == 200)
            let language = try await follower.post("/language", "language=zh-Hans&back=/")
            #expect(language.status != 503, "each node answers by itself what writes nothing")
        }
    }

    @Test("A body that is cut off reaches no writer, and a client that goes away after a whole one is answered once")
    func cut() async throws {
        let writer = ScriptedNode { _ in .answer(.created) }
        try await writer.whileListening { address in
            try await TwoNodes.run(writer: address) { nodes in
                let head = "POST \(Self.path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n"
                for (body, count) in [("{", 0), ("{  }", 1)] {
                    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: nodes.followerPort).get()
                    try await channel.writeAndFlush(ByteBuffer(string: head + body))
                    if count > 0 { try await eventually("the request arrives") { writer.asked.count == count } }
                    try await channel.close()
                }
                #expect(try await nodes.atFollower.post(Self.path, "[]").status == 201)
                #expect(writer.asked.map(\.body) == [Array("{  }".utf8), Array("[]".utf8)])
            }
        }
    }

    @Test("The writer counts the client behind the node, and not the node")
    func rates() async throws {
        let rates = RequestRates(
            account: RequestRate(burst: 8, perSecond: 1), address: RequestRate(burst: 8, perSecond: 1),
            machine: RequestRate(burst: 30, perSecond: 3))
        try await TwoNodes.run(
            configure: { ($0.requestRates, $0.trustedProxies) = (rates, 1) }, following: { $0.trustedProxies = 1 }
        ) { nodes in
            func ask(_ address: String) async throws -> Int {
                try await nodes.atFollower.post("/v1/sessions/refresh", "{}", headers: [.forwardedFor: address]).status
            }
            var statuses: [Int] = []
            while statuses.count < 30, statuses.last != 429 { statuses.append(try await ask("203.0.113.7")) }
            #expect(statuses.last == 429 && statuses.count > 4)
            #expect(try await ask("203.0.113.8") == 400)
            #expect(try await ask("2001:db8::1") == 400)
            let direct = try await nodes.atWriter.post("/v1/sessions/refresh", "{}", headers: [.forwardedFor: "203.0.113.7"])
            #expect(direct.status == 429, "no client has a second limit at another node")
        }
    }

    @Test("A signed request with another body is refused")
    func otherBody() async throws {
        try await TwoNodes.run { nodes in
            func ask(_ sent: String, signing signed: String) async throws -> Reply {
                let header = nodes.signature.header("POST", "/v1/verifications", body: Array(signed.utf8), epoch: TwoNodes.epoch)
                return try await nodes.atWriter.post("/v1/verifications", sent, headers: [.greenTeaNode: header])
            }
            let (first, second) = (#"{"phone":"+8613800138000"}"#, #"{"phone":"+8613800138009"}"#)
            #expect(try await ask(first, signing: first).status == 202)
            try await ask(second, signing: first).expectProblem("invalidRequest", 400)
            try await ask(first, signing: "").expectProblem("invalidRequest", 400)
        }
    }

    @Test("A node that does not write either says to its sender that nothing was carried out")
    func loop() async throws {
        try await TwoNodes.run { nodes in
            let header = nodes.signature.header("POST", "/v1/verifications", body: Array("{}".utf8), epoch: TwoNodes.epoch)
            let reply = try await nodes.atFollower.post("/v1/verifications", "{}", headers: [.greenTeaNode: header])
            #expect(reply.status == 421 && reply.headers[.greenTeaNode] == NodeSignature.accepted)
        }
    }

    @Test("A read that has to write is forwarded, and any other is not")
    func reads() async throws {
        let writer = ScriptedNode { _ in .answer(.ok, ["GreenTea-Node": "1"], Array("there".utf8)) }
        try await writer.whileListening { address in
            try await onStage { stage, _ in
                let signature = NodeSignature(secret: [1], log: "log.example/tea")
                let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature)
                let peers = NodePeers(signature: signature) { .other(client) }
                let proxy = WriteProxy(resources: stage.api.resources, peers: peers)
                let context = APIContext(
                    source: ApplicationRequestContextSource(
                        channel: EmbeddedChannel(), logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() })))
                let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/v1/me")
                let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
                let plain = proxy.wrapping(.get("/v1/me") { _, _ in Response(status: .accepted) })
                #expect(try await plain.handler(request, context).status == .accepted)
                #expect(writer.asked.isEmpty)
                let writing = proxy.wrapping(.get("/v1/me") { _, _ in throw ServiceError.notWriter })
                #expect(try await writing.handler(request, context).status == .ok)
                #expect(writer.asked.map(\.head.method) == [.GET])
            }
        }
    }

    @Test("Sign-ins that the writer does not answer leave connections for other requests, and one address takes half of the rest")
    func bulkhead() async throws {
        let (most, writer) = (Limits.forwardedSlowlyMax, ScriptedNode { $0 <= Limits.forwardedSlowlyMax ? .hold : .answer(.ok) })
        try await writer.whileListening { address in
            try await onStage { stage, _ in
                let signature = NodeSignature(secret: [1], log: "log.example/tea")
                let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature)
                let proxy = WriteProxy(resources: stage.api.resources, peers: NodePeers(signature: signature) { .other(client) })
                let context = APIContext(
                    source: ApplicationRequestContextSource(
                        channel: EmbeddedChannel(), logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() })))
                @Sendable func ask(_ path: String, at address: Int) async throws -> Response {
                    let route = proxy.wrapping(.post(path) { _, _ in Response(status: .accepted) })
                    let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: path)
                    return try await PoolClient.$current.withValue(PoolClient(PoolShare(address: UInt128(address)))) {
                        try await route.handler(Request(head: head, body: RequestBody(buffer: ByteBuffer())), context)
                    }
                }
                var waiting: [Task<Response, any Error>] = []
                for address in 0..<2 {
                    for _ in 0..<most / 2 { waiting.append(Task { try await ask(Self.path, at: address) }) }
                    let count = waiting.count
                    try await eventually("the sign-ins wait") { writer.asked.count == count }
                    let shared = await #expect(throws: Problem.self) { try await ask(Self.path, at: address) }
                    #expect(shared?.code == .overloaded)
                }
                let last = await #expect(throws: Problem.self) { try await ask(Self.path, at: 2) }
                #expect(last?.code == .overloaded && most < NodeClient.connectionsMax)
                #expect(try await ask("/v1/stamps", at: 0).status == .ok)
                writer.release()
                for task in waiting { await #expect(throws: Problem.self) { try await task.valueInTime() } }
                #expect(try await ask(Self.path, at: 0).status == .ok)
            }
        }
    }

    @Test("Headers up to the bound are answered by the writer, and beyond it refused here")
    func longHeaders() async throws {
        try await TwoNodes.run { nodes in
            let filler = HTTPField.Name("X-Filler")!
            var (size, status) = (Limits.headerBytesMax - Limits.forwardedHeaderBytes - 24_000 - 1_000, 400)
            while status == 400, size < Limits.headerFieldBytesMax {
                size += 50
                var headers = HTTPFields()
                for count in [12_000, 12_000, size] { headers.append(HTTPField(name: filler, value: String(repeating: "x", count: count))) }
                headers[.contentType] = "application/json"
                status = try await nodes.atFollower.client.execute(
                    uri: "/v1/sessions/refresh", method: .post, headers: headers, body: ByteBuffer(string: "{}")
                ) { Int($0.status.code) }
            }
            #expect(status == 413)
        }
    }

    @Test("The paths that each node answers by itself exist, and so do the slow ones")
    func own() async throws {
        try await onStage { stage, _ in
            let routed = Set((stage.api.routes + stage.api.pages).filter { $0.method == .post }.map(\.path))
            #expect(WriteProxy.ownPaths.isSubset(of: routed))
            let writing = Set((stage.api.routes + stage.api.pages).filter { $0.method != .get }.map(\.path))
            #expect(WriteProxy.slowPaths.isSubset(of: writing))
        }
    }
}
