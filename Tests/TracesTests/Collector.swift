import NIOCore
import NIOHTTP1
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing

@testable import Traces

/// A collector on this machine. It counts the spans of each request and returns prepared answers.
final class Collector: Sendable {
    enum Answer: Sendable {
        case taken
        /// The collector sends the head of an answer that announces a body, and never sends the body.
        case stalled
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let collector: Collector
        private var body = ByteBuffer()

        init(_ collector: Collector) { self.collector = collector }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: body.clear()
            case .body(var part): body.writeBuffer(&part)
            case .end: answer(collector.take(Array(body.readableBytesView)), context)
            }
        }

        private func answer(_ answer: Answer, _ context: ChannelHandlerContext) {
            let isTaken = answer == .taken
            var head = HTTPResponseHead(version: .http1_1, status: .ok)
            head.headers.add(name: "Content-Length", value: isTaken ? "0" : "10")
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if isTaken { context.write(wrapOutboundOut(.end(nil)), promise: nil) }
            context.flush()
            if !isTaken { collector.hasStalled() }
        }
    }

    private let counts = Mutex<[Int]>([])
    private let answer: @Sendable (Int) -> Answer
    private let hasStalled: @Sendable () -> Void

    /// - Parameters:
    ///   - hasStalled: called after a head without its body was sent.
    ///   - answer: returns the answer to the request with this number, counted from 1.
    init(hasStalled: @escaping @Sendable () -> Void = {}, answer: @escaping @Sendable (Int) -> Answer) {
        (self.hasStalled, self.answer) = (hasStalled, answer)
    }

    /// The number of spans in each request.
    var posts: [Int] { counts.withLock { $0 } }

    /// Runs `body` with the collector's address while it listens.
    func whileListening(_ body: (String) async -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        await body("http://127.0.0.1:\(port)/v1/traces")
        try await server.close()
    }

    private func take(_ bytes: [UInt8]) -> Answer {
        let request = try? Greentea_Otlp_ExportTraceServiceRequest(serializedBytes: bytes)
        let spans = request?.resourceSpans.first?.scopeSpans.first?.spans.count ?? 0
        let number = counts.withLock { counts in
            counts.append(spans)
            return counts.count
        }
        return answer(number)
    }
}
