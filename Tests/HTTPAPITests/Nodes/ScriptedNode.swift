import NIOCore
import NIOHTTP1
import NIOPosix
import Nodes
import Synchronization
import Testing

/// A node on this machine that reads whole requests, and answers them as a test says.
final class ScriptedNode: Sendable {
    /// A request as it arrived.
    struct Asked: Sendable {
        let head: HTTPRequestHead
        let body: [UInt8]
    }

    enum Act: Sendable {
        /// The connection closes without an answer.
        case close
        /// The connection closes with ``ScriptedNode/release()``.
        case hold
        case answer(HTTPResponseStatus, HTTPHeaders = ["GreenTea-Node": "1"], [UInt8] = [])
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let node: ScriptedNode
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ node: ScriptedNode) { self.node = node }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += part.readableBytesView
            case .end:
                guard let head else { return }
                perform(node.act(Asked(head: head, body: body)), context)
            }
        }

        private func perform(_ act: Act, _ context: ChannelHandlerContext) {
            if case .hold = act { return node.held.withLock { $0.append(context.channel) } }
            guard case .answer(let status, var headers, let body) = act else { return context.close(promise: nil) }
            headers.add(name: "Content-Length", value: "\(body.count)")
            context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    private let requests = Mutex<[Asked]>([])
    private let held = Mutex<[any Channel]>([])
    private let script: @Sendable (Int) -> Act

    /// - Parameter script: the act for the request with this number, counted from 1.
    init(_ script: @escaping @Sendable (Int) -> Act) { self.script = script }

    var asked: [Asked] { requests.withLock { $0 } }

    func release() {
        for channel in held.withLock({ $0 }) { channel.close(promise: nil) }
    }

    /// Runs `body` with the node's address while it listens.
    func whileListening(_ body: (String) async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        try await body("http://127.0.0.1:\(port)")
        try await server.close()
    }

    private func act(_ asked: Asked) -> Act {
        let number = requests.withLock { requests in
            requests.append(asked)
            return requests.count
        }
        return script(number)
    }
}
