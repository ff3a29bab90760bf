import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP/1.1 connection for one request after the other, by one task at a time. It uses NIO without a pool, so that times include no
/// wait, and little of the processor that it shares with the measured server.
struct Connection: Sendable {
    private let channel: any Channel
    private let host: String

    /// - Parameter source: the local address; nil for the system's choice.
    static func open(_ address: ServerAddress, from source: String? = nil, on group: any EventLoopGroup) async throws -> Connection {
        var bootstrap = ClientBootstrap(group: group)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Exchange())
                }
            }
        if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
        let channel = try await bootstrap.connect(host: address.host, port: address.port).get()
        return Connection(channel: channel, host: "\(address.host):\(address.port)")
    }

    /// - Throws: `LoadError.disconnected`, `LoadError.timedOut`, or an error of the network.
    func send(_ ask: Ask) async throws -> Answer {
        let promise = channel.eventLoop.makePromise(of: Answer.self)
        let timeout = channel.eventLoop.scheduleTask(in: .seconds(Limits.answerSecondsMax)) {
            promise.fail(LoadError.timedOut("\(ask.method.rawValue) \(ask.path)"))
        }
        defer { timeout.cancel() }
        channel.writeAndFlush(Exchange.Begun(head: head(of: ask), body: ask.body.map { ByteBuffer(string: $0) }, answer: promise))
            .whenFailure { promise.fail($0) }
        return try await promise.futureResult.get()
    }

    func close() async {
        // The server may have closed the connection already.
        try? await channel.close()
    }

    private func head(of ask: Ask) -> HTTPRequestHead {
        var headers = HTTPHeaders([("Host", host), ("Accept", "application/json")])
        if let token = ask.token { headers.add(name: "Authorization", value: "Bearer " + token) }
        if let key = ask.key { headers.add(name: "Idempotency-Key", value: key) }
        if let position = ask.minPosition { headers.add(name: "GreenTea-Min-Position", value: String(position)) }
        if let body = ask.body {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(body.utf8.count))
        }
        return HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: ask.method.rawValue), uri: ask.path, headers: headers)
    }
}

/// Matches requests and answers, on the connection's event loop.
final class Exchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Begun
    typealias OutboundOut = HTTPClientRequestPart

    struct Begun: Sendable {
        let head: HTTPRequestHead
        let body: ByteBuffer?
        let answer: EventLoopPromise<Answer>
    }

    private var waiting: EventLoopPromise<Answer>?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let begun = unwrapOutboundIn(data)
        waiting = begun.answer
        context.write(wrapOutboundOut(.head(begun.head)), promise: nil)
        if let body = begun.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll(keepingCapacity: true)
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= Limits.answerBytesMax else { return context.close(promise: nil) }
            body.append(contentsOf: bytes.readableBytesView)
        case .end: finish()
        }
    }

    private func finish() {
        guard let head else { return }
        let answer = Answer(
            status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After").flatMap { Int($0) },
            requestID: head.headers.first(name: "X-Request-ID") ?? "",
            position: head.headers.first(name: "GreenTea-Position").flatMap { UInt64($0) }, body: body)
        waiting?.succeed(answer)
        (waiting, self.head) = (nil, nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(LoadError.disconnected)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    private func fail(_ error: any Error) {
        waiting?.fail(error)
        waiting = nil
    }
}
