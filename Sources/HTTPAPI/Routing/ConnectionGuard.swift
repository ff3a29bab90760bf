import HTTPTypes
import Hummingbird
import Images
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Lets go of clients that hold a connection without using it, answers what is no HTTP with a problem document, and tells who asks before
/// sending a large body to go on (RFC 9110, 10.1.1).
///
/// The server itself closes connections on which nothing begins. What it does not see is a request whose body comes a byte at a time,
/// and an answer that nobody fetches: each keeps a task and its memory for as long as the client likes. So a request MUST be there
/// whole, and a full buffer of an answer MUST be fetched, within a while.
///
/// One of these stands in each connection, behind the decoder, and belongs to its event loop. A request that comes in one piece costs
/// it a look at the clock; nothing is scheduled for it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    /// How long a client that was refused may take to fetch that.
    private let linger: TimeAmount
    /// When the request came that is not there whole yet.
    private var readingSince: NIODeadline?
    /// Since when the answer's buffer is full.
    private var stuckSince: NIODeadline?
    /// Requests whose answers are not written yet.
    private var unanswered = 0
    private var check: Scheduled<Void>?

    /// - Parameters:
    ///   - patience: for a whole request, and for a full buffer of its answer.
    ///   - linger: for the answer to what was no request.
    init(patience: TimeAmount, linger: TimeAmount = .seconds(Limits.lingerSeconds)) {
        (self.patience, self.linger) = (patience, linger)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        check = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            readingSince = context.eventLoop.now
            unanswered += 1
            if unanswered == 1, Self.isAwaitingWord(head) {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .end: readingSince = nil
        case .body: break
        }
        context.fireChannelRead(data)
    }

    /// Whether the client waits to be told to send its body. Of one that no route takes it hears the refusal instead.
    private static func isAwaitingWord(_ head: HTTPRequest) -> Bool {
        guard head.headerFields.text(of: .expect)?.lowercased() == "100-continue" else { return false }
        return head.headerFields.text(of: .contentLength).flatMap { Int($0) }.map { $0 <= ImageLimits.fileBytesMax } ?? true
    }

    /// What is there whole by now needs no watching.
    func channelReadComplete(context: ChannelHandlerContext) {
        if readingSince != nil { watch(context) }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stuckSince = context.channel.isWritable ? nil : context.eventLoop.now
        if stuckSince != nil { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // In the middle of a request or of an answer there is no place for another one: the server breaks the connection off.
        guard let error = error as? HTTPParserError, readingSince == nil, unanswered == 0 else {
            return context.fireErrorCaught(error)
        }
        refuse(context, error == .headerOverflow ? .tooLarge : .invalidRequest)
    }

    private func refuse(_ context: ChannelHandlerContext, _ code: ProblemCode) {
        let request = Request(head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"), body: .init(buffer: ByteBuffer()))
        let answer = ProblemAnswer(problem: Problem(code), request: request, requestID: RequestName.made())
        let body = JSONWriter.buffer(answer)
        var headers = answer.response.headers
        (headers[.connection], headers[.contentLength]) = ("close", String(body.readableBytes))
        context.write(wrapOutboundOut(.head(HTTPResponse(status: code.status, headerFields: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Closing at once, with bytes of the client unread, would take the answer back.
        context.close(mode: .output, promise: nil)
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        check?.cancel()
        check = context.value.eventLoop.assumeIsolated().scheduleTask(in: linger) { context.value.close(promise: nil) }
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard check == nil, let since = [readingSince, stuckSince].compactMap(\.self).min() else { return }
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: since + patience) { [self] in
            check = nil
            let now = context.eventLoop.now
            let isOver = [readingSince, stuckSince].contains { $0.map { $0 + patience <= now } ?? false }
            if isOver { context.close(promise: nil) } else { watch(context) }
        }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
