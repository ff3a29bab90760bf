import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Prometheus
import Testing

@testable import HTTPAPI

@Suite("Connection guard")
struct ConnectionGuardTests {
    /// A channel whose only handler is the guard, its event loop, and the objects that the guard shares with other connections.
    struct Scene {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        let registry = PrometheusRegistry()
        let bodies: BodyBudget

        init(
            bytes: Int = 1 << 20, bytesPerSecond: Int = 1, sharing shared: BodyBudget? = nil, at address: String = "127.0.0.1",
            sender: ConnectionCommons.Sender? = nil
        ) throws {
            // One address gets half of the bytes.
            bodies = shared ?? BodyBudget(ordinary: 2 * bytes)
            let client = ClientAddress(address)
            let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
            let commons = ConnectionCommons(
                bodies: bodies, report: ConnectionReport(registry, logger),
                answers: AnswerRecord(metrics: RequestMetrics(registry), logsAccess: false), logger: logger,
                sender: sender ?? { head, channel in
                    let forwarded = head.headers["x-forwarded-for"].joined(separator: ",")
                    return (ClientAddress(forwarded: forwarded, through: channel, trustedProxies: 1) ?? client, false)
                })
            var terms = ConnectionTerms()
            (terms.patience, terms.linger, terms.bodyGrace) = (.seconds(10), .seconds(2), .seconds(4))
            (terms.picturePatience, terms.stopping) = (.seconds(30), .seconds(3))
            terms.bodyBytesPerSecond = bytesPerSecond
            channel = EmbeddedChannel(handler: ConnectionGuard(terms, commons), loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func ask(_ headers: HTTPHeaders = ["host": "a"], version: HTTPVersion = .http1_1, uri: String = "/v1/stamps") throws {
            try channel.writeInbound(
                HTTPServerRequestPart.head(HTTPRequestHead(version: version, method: .POST, uri: uri, headers: headers)))
        }

        // Optimised, Swift 6.3.1 frees the unused result of an inlined `writeInbound` before it copies the buffer into it.
        @inline(never)
        func send(_ count: Int) throws { try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(repeating: 0x20, count: count))) }

        func end() throws { try channel.writeInbound(HTTPServerRequestPart.end(nil)) }

        func answer(_ status: HTTPResponseStatus = .ok, _ headers: HTTPHeaders = [:]) throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }

        /// The next response head that was sent, and its body if it has one.
        func answered() throws -> (head: HTTPResponseHead, text: String)? {
            guard case .head(let head) = try channel.readOutbound(as: HTTPServerResponsePart.self) else { return nil }
            var text = ""
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                if case .body(.byteBuffer(let body)) = part { text += String(buffer: body) }
                if case .end = part { break }
            }
            return (head, text)
        }

        var handedOn: Int {
            get throws {
                var count = 0
                while try channel.readInbound(as: HTTPServerRequestPart.self) != nil { count += 1 }
                return count
            }
        }
    }

    // MARK: Time limits of requests

    @Test("A body that is too slow on average is cut off after the grace period, however steadily it arrives")
    func slowBody() throws {
        let scene = try Scene(bytesPerSecond: 100)
        try scene.ask()
        // The guard allows a body four seconds, and half a second more for each 50 bytes that arrive. So six times 50 bytes allow seven
        // seconds.
        for _ in 0..<6 {
            scene.loop.advanceTime(by: .seconds(1))
            try scene.send(50)
        }
        #expect(scene.channel.isActive)
        scene.loop.advanceTime(by: .seconds(1))
        #expect(!scene.channel.isActive)
        #expect(scene.registry.text.contains(#"greentea_connections_cut_off_total{reason="slowRequest"} 1"#))
    }

    @Test("Bytes that arrive early earn no more time than the grace period")
    func stalledBody() throws {
        let scene = try Scene(bytesPerSecond: 100)
        try scene.ask(uri: "/v1/images")
        try scene.send(10_000)
        for _ in 0..<4 {
            #expect(scene.channel.isActive)
            scene.loop.advanceTime(by: .seconds(1))
            try? scene.send(1)
        }
        scene.loop.advanceTime(by: .seconds(1))
        #expect(!scene.channel.isActive)
    }

    @Test("A body that keeps the minimum rate is still cut off at the time limit")
    func longBody() throws {
        let scene = try Scene()
        try scene.ask()
        for _ in 0..<9 {
            scene.loop.advanceTime(by: .seconds(1))
            try scene.send(1_000)
        }
        #expect(scene.channel.isActive)
        scene.loop.advanceTime(by: .seconds(1))
        #expect(!scene.channel.isActive)
    }

    @Test("A picture has more time, but must also keep the minimum rate", arguments: [(1_000, 30), (1, 7)])
    func picture(_ bytesPerSecond: Int, _ seconds: Int) throws {
        let scene = try Scene(bytesPerSecond: 2)
        try scene.ask(uri: "/v1/images")
        for _ in 1..<seconds {
            scene.loop.advanceTime(by: .seconds(1))
            #expect(scene.channel.isActive)
            try scene.send(bytesPerSecond)
        }
        scene.loop.advanceTime(by: .seconds(1))
        #expect(!scene.channel.isActive)
    }

    @Test("Requests that complete in time are never cut off, and each slow one has its own time limit")
    func wholeRequests() throws {
        let scene = try Scene()
        for _ in 0..<5 {
            try scene.ask()
            for part in 1...3 {
                try scene.send(100)
                scene.loop.advanceTime(by: .seconds(part < 3 ? 3 : 2))
            }
            try scene.end()
            try scene.answer()
        }
        scene.loop.advanceTime(by: .seconds(3_600))
        #expect(scene.channel.isActive)
    }

    @Test("A client that does not read its answer is disconnected, and one that reads slowly is not")
    func slowReader() throws {
        let scene = try Scene()
        func fill(_ isFull: Bool, for seconds: Int64) {
            scene.channel.isWritable = !isFull
            scene.channel.pipeline.fireChannelWritabilityChanged()
            scene.loop.advanceTime(by: .seconds(seconds))
        }
        for _ in 0..<5 {
            fill(true, for: 9)
            fill(false, for: 1)
        }
        #expect(scene.channel.isActive)
        fill(true, for: 10)
        #expect(!scene.channel.isActive)
    }

    @Test("While the server stops, a client that is neither too slow nor stuck is still disconnected in time", arguments: [true, false])
    func stopping(_ isComplete: Bool) throws {
        let scene = try Scene()
        try scene.ask()
        if isComplete { try scene.end() }
        scene.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        for _ in 0..<2 {
            scene.loop.advanceTime(by: .seconds(1))
            if !isComplete { try scene.send(1_000) }
            #expect(scene.channel.isActive)
        }
        scene.loop.advanceTime(by: .seconds(1))
        #expect(!scene.channel.isActive)
    }

    // MARK: The byte budget of bodies

    @Test("Bytes beyond the free part of a body are taken from the budget until the answer; a body that exceeds the budget gets a 503")
    func bytes() throws {
        let free = Limits.bodyBytesFree
        let scene = try Scene(bytes: 1_000)
        for _ in 0..<3 {
            try scene.ask()
            try scene.send(free + 600)
            #expect(scene.bodies.taken(from: .ordinary) == 600)
            try scene.end()
            try scene.answer()
            #expect(scene.bodies.taken(from: .ordinary) == 0)
            #expect(try scene.answered()?.head.status == .ok)
        }
        try scene.ask()
        try scene.send(free + 1_000)
        #expect(scene.bodies.taken(from: .ordinary) == 1_000)
        #expect(throws: HTTPParserError.self, "the reader of the body gets the error") {
            try scene.send(1)
            try scene.channel.throwIfErrorCaught()
        }
        let refused = try #require(try scene.answered())
        #expect(refused.head.status == .serviceUnavailable && refused.text.contains("\"overloaded\""))
        #expect(refused.head.headers["connection"] == ["close"] && refused.head.headers["retry-after"].count == 1)
        #expect(scene.bodies.taken(from: .ordinary) == 0)
        #expect(scene.registry.text.contains("greentea_bodies_refused_total 1"))
    }

    @Test(
        "The bytes of a picture are taken from the pool of pictures in each spelling of its path that the router accepts",
        arguments: [
            ("/v1/images", true), ("/v1/images?x=/", true), ("//v1/images", true), ("/v1//images/", true), ("http://a/v1/images", true),
            ("http://a:80//scan", true), ("/v1/images/x", false), ("/v1", false), ("/", false), ("/?/v1/images", false),
        ])
    func pools(_ uri: String, _ isPicture: Bool) {
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: uri, headers: ["host": "a"])
        let expected: BodyBudget.Pool = isPicture ? .pictures : .ordinary
        #expect(RequestFraming(head).pool == expected)
    }

    @Test("A client that disconnects returns its bytes to the budget")
    func gone() throws {
        let scene = try Scene(bytes: 1_000)
        try scene.ask()
        try scene.send(Limits.bodyBytesFree + 1_000)
        #expect(scene.bodies.taken(from: .ordinary) == 1_000)
        try scene.channel.close().wait()
        #expect(scene.bodies.taken(from: .ordinary) == 0)
    }

    // MARK: Refused requests and ends of connections

    @Test("Input that is no valid request is answered with a problem document, and the connection closes soon", arguments: [true, false])
    func refusal(_ isOverflow: Bool) throws {
        let scene = try Scene()
        scene.channel.pipeline.fireErrorCaught(isOverflow ? HTTPParserError.headerOverflow : HTTPParserError.invalidMethod)
        let (head, text) = try #require(try scene.answered())
        #expect(head.status.code == (isOverflow ? 413 : 400) && head.headers["connection"] == ["close"])
        #expect(head.headers["content-type"] == ["application/problem+json"])
        #expect(head.headers["x-request-id"].count == 1 && head.headers["date"].count == 1)
        #expect(text.contains(isOverflow ? "tooLarge" : "invalidRequest"))
        let status = isOverflow ? 413 : 400
        let count = #"greentea_http_request_duration_seconds_count{method="GET",route="unread",status="\#(status)"} 1"#
        #expect(scene.registry.text.contains(count))
        scene.loop.advanceTime(by: .seconds(2))
        #expect(!scene.channel.isActive)
    }

    @Test("An error is answered after the unanswered request before it")
    func inTurn() throws {
        let scene = try Scene()
        try scene.ask()
        try scene.end()
        scene.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(try scene.answered() == nil)
        try scene.ask()
        #expect(try scene.handedOn == 2, "no request after the error is handed on")
        try scene.answer()
        #expect(try scene.answered()?.head.status == .ok)
        #expect(try scene.answered()?.head.status == .badRequest)
    }

    @Test("An error in the middle of a body is answered once, and the reader of the body gets the error")
    func inTheMiddle() throws {
        let scene = try Scene()
        try scene.ask(["host": "a", "x-request-id": "mine", "accept-language": "zh-Hans"])
        scene.channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(throws: HTTPParserError.self) { try scene.channel.throwIfErrorCaught() }
        let (head, text) = try #require(try scene.answered())
        #expect(head.status == .badRequest && head.headers["x-request-id"] == ["mine"] && head.headers["content-language"] == ["zh-Hans"])
        #expect(text.contains("\"instance\":\"/v1/stamps\""))
        #expect(throws: (any Error).self, "a later answer of the handler is dropped") { try scene.answer(.internalServerError) }
        #expect(try scene.answered() == nil)
    }

    @Test("An answer that begins before its request is complete ends the connection, and a later one does not")
    func early() throws {
        let scene = try Scene()
        try scene.ask()
        try scene.end()
        try scene.answer(.unauthorized)
        #expect(try scene.answered()?.head.headers.contains(name: "connection") == false)
        try scene.ask()
        try scene.send(1)
        try scene.answer(.unauthorized)
        #expect(try scene.answered()?.head.headers["connection"] == ["close"])
        scene.loop.advanceTime(by: .seconds(2))
        #expect(!scene.channel.isActive)
    }

    @Test("Requests beyond a connection's maximum of unanswered ones are not passed on, and one refusal follows the answers")
    func unanswered() throws {
        let scene = try Scene()
        for _ in 0..<500 {
            try scene.ask()
            try scene.end()
        }
        #expect(try scene.handedOn == 2 * Limits.unansweredMax)
        #expect(try scene.answered() == nil, "the refusal waits for the answers to earlier requests")
        for _ in 0..<Limits.unansweredMax {
            try scene.answer()
            let head = try #require(try scene.answered()?.head)
            #expect(head.status == .ok && !head.headers.contains(name: "connection"))
        }
        let (head, text) = try #require(try scene.answered())
        #expect(head.status == .tooManyRequests && text.contains("\"rateLimited\""))
        #expect(head.headers["connection"] == ["close"] && head.headers["retry-after"] == ["1"])
        #expect(try scene.answered() == nil && scene.registry.text.contains(#"greentea_problems_total{code="rateLimited"} 1"#))
        scene.loop.advanceTime(by: .seconds(2))
        #expect(!scene.channel.isActive)
    }

    @Test("A client may send as many requests at once as may be unanswered, again and again")
    func unansweredAgain() throws {
        let scene = try Scene()
        for _ in 0..<3 {
            for _ in 0..<Limits.unansweredMax {
                try scene.ask()
                try scene.end()
            }
            for _ in 0..<Limits.unansweredMax {
                try scene.answer()
                #expect(try scene.answered()?.head.status == .ok)
            }
        }
        #expect(try scene.handedOn == 2 * 3 * Limits.unansweredMax && scene.channel.isActive)
    }

    @Test("An answer that closes a rate-limited client's connection stops all further requests on it")
    func tooOften() throws {
        let scene = try Scene()
        for _ in 0..<2 {
            try scene.ask()
            try scene.end()
        }
        try scene.answer(.tooManyRequests, ["connection": "close"])
        #expect(try scene.answered()?.head.status == .tooManyRequests)
        #expect(try scene.handedOn == 4)
        #expect(scene.channel.isActive, "the second request was handed on and is answered")
        try scene.ask()
        try scene.end()
        #expect(try scene.handedOn == 0)
        try scene.answer()
        #expect(try scene.answered()?.head.headers["connection"] == ["close"])
        scene.loop.advanceTime(by: .seconds(2))
        #expect(!scene.channel.isActive)
    }

    @Test("A rate-limited account keeps its connection")
    func accountTooOften() throws {
        let scene = try Scene()
        for _ in 0..<2 {
            try scene.ask()
            try scene.end()
            try scene.answer(.tooManyRequests)
            #expect(try scene.answered()?.head.headers.contains(name: "connection") == false)
        }
        #expect(scene.channel.isActive)
    }

    @Test(
        "A request that is the last of its connection ends it, and no later request is handed on",
        arguments: [
            (HTTPVersion.http1_0, HTTPHeaders([("host", "a"), ("connection", "keep-alive")])),
            (.http1_1, HTTPHeaders([("host", "a"), ("connection", "x, Close")])),
            (.http1_1, HTTPHeaders([("host", "a"), ("upgrade", "h2c"), ("connection", "upgrade")])),
        ])
    func last(_ version: HTTPVersion, _ headers: HTTPHeaders) throws {
        let scene = try Scene()
        try scene.ask(headers, version: version)
        try scene.end()
        try scene.ask()
        try scene.end()
        #expect(try scene.handedOn == 2)
        try scene.answer()
        let head = try #require(try scene.answered()?.head)
        #expect(head.headers["connection"] == ["close"] && head.version == version)
        scene.loop.advanceTime(by: .seconds(2))
        #expect(!scene.channel.isActive)
    }
}
