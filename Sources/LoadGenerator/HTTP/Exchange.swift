import NIOCore
import NIOHTTP1

/// Joins requests and answers of one connection. Lives on the connection's event loop and is touched nowhere else.
final class Exchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Begun
    typealias OutboundOut = HTTPClientRequestPart

    /// A request and who waits for its answer.
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
            requestID: head.headers.first(name: "X-Request-ID") ?? "", body: body)
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
