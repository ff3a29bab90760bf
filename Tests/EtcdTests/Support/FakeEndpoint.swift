import NIOCore
import NIOPosix
import Synchronization

/// An HTTP server on 127.0.0.1 with prepared answers.
final class FakeEndpoint: Sendable {
    private let listener: any Channel
    private let received = Received()

    /// - Parameters:
    ///   - answers: the bodies, of which the last one is repeated; without any, no request is answered.
    ///   - delay: before each answer.
    init(answers: String..., after delay: TimeAmount = .zero) throws {
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { [received] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(answers, after: delay, received))
                }
            }
        listener = try bootstrap.bind(host: "127.0.0.1", port: 0).wait()
    }

    deinit { listener.close(promise: nil) }

    var endpoint: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// The requests so far, with their headers.
    var requests: [String] { received.requests.withLock { $0 } }
}

private final class Received: Sendable {
    let requests = Mutex<[String]>([])
}

/// Each connection has one request.
private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answers: [String]
    private let delay: TimeAmount
    private let received: Received
    private var request = ""

    init(_ answers: [String], after delay: TimeAmount, _ received: Received) {
        (self.answers, self.delay, self.received) = (answers, delay, received)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += String(buffer: unwrapInboundIn(data))
        // An answer before the request's end would reset the connection. All bodies are objects.
        let body = request.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first
        guard request.hasPrefix("GET ") ? request.hasSuffix("\r\n\r\n") : body.map(Self.isWhole) == true else { return }
        let number = received.requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        guard let last = answers.last else { return }
        let (channel, answer) = (context.channel, number < answers.count ? answers[number] : last)
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(answer.utf8.count)\r\n\r\n"
        channel.eventLoop.scheduleTask(in: delay) {
            channel.writeAndFlush(ByteBuffer(string: head + answer)).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// Whether as many braces are closed as were opened.
    private static func isWhole(_ body: Substring) -> Bool { body.count { $0 == "{" } == body.count { $0 == "}" } }
}
