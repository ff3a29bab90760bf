import NIOCore
import NIOPosix
import Synchronization

/// The network between a client and a server of this machine. It loses requests or answers, and closes the connection.
final class LossyProxy: Sendable {
    enum Part: Sendable {
        case request, answer
    }

    private let losses: Losses
    private let listener: any Channel

    /// - Parameter endpoint: the server's, as `http://127.0.0.1:PORT`.
    init(to endpoint: String) async throws {
        let (losses, port) = (Losses(), Int(endpoint.split(separator: ":").last ?? "") ?? 0)
        self.losses = losses
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(Passage(of: .answer, to: client, losses))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Passage(of: .request, to: server, losses))
                    }
                    .flatMap { client.setOption(.autoRead, value: true) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { listener.close(promise: nil) }

    var endpoint: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// Loses the next request, or the answer to it.
    func loseNext(_ part: Part) { losses.next.withLock { $0 = part } }
}

private final class Losses: Sendable {
    let next = Mutex<LossyProxy.Part?>(nil)
}

private final class Passage: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let part: LossyProxy.Part
    private let other: any Channel
    private let losses: Losses

    init(of part: LossyProxy.Part, to other: any Channel, _ losses: Losses) {
        (self.part, self.other, self.losses) = (part, other, losses)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isLost = losses.next.withLock { next in
            defer { if next == part { next = nil } }
            return next == part
        }
        if isLost { context.close(promise: nil) } else { other.writeAndFlush(unwrapInboundIn(data), promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
