import Caches
import NIOCore
import NIOHTTP1

/// Enforces the protocol and time limits on a connection. It closes connections that are held without being used, answers invalid or
/// excessive input with a problem document, and answers `Expect: 100-continue`.
///
/// The server itself closes connections on which no request begins. The guard handles these other cases:
///
/// - A slow body keeps a task and memory occupied. So in each period of some seconds the body MUST arrive at a minimum rate, and the
///   request MUST be complete within a time limit.
/// - Many concurrent bodies fill the memory, each within its own limit. So their bytes are taken from a `BodyBudget` until the request is
///   answered. A request whose place in a pool another client takes (``Displacement``) is refused, or its answer is cut off.
/// - A client does not read its answer, so that the buffer of the connection stays full. So the client MUST make room in a full buffer
///   within a time limit.
/// - A client continues to send requests after its address has exceeded its request rate. So the guard closes the connection after a
///   refusal that `RateMiddleware` has marked with `Connection: close`.
/// - A client sends many requests without waiting for answers. The decoder decodes all requests that have arrived at once, so the guard
///   passes on only a limited number of them, and refuses the next request.
/// - A client sends or reads so slowly that it would delay the end of the server. So each connection is closed some time after the server
///   has begun to stop.
/// - A request is answered before it is complete, for example because it is too large. The rest of the request would be read only to be
///   discarded, so the guard closes the connection after the answer, once the client has had time to read it.
///
/// Each connection has one guard, which belongs to the connection's event loop. The guard comes directly after the decoder, where the HTTP
/// version and all Host headers can still be seen. So requests that RFC 9112 forbids get a problem document like all other refusals. For a
/// request that arrives in one piece, the guard schedules nothing.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request that has not arrived completely.
    private struct Arrival {
        let framing: RequestFraming
        /// The time limit for the whole request.
        let latest: NIODeadline
        var pace: Pace

        init(_ framing: RequestFraming, since: NIODeadline, _ terms: ConnectionTerms) {
            self.framing = framing
            latest = since + (framing.pool == .pictures ? terms.picturePatience : terms.patience)
            pace = Pace(at: since.microseconds, window: terms.bodyGrace.nanoseconds / 1_000)
        }

        /// The moment at which the connection is closed unless more of the request arrives. Received bytes move this moment later.
        var deadline: NIODeadline { min(latest, .uptimeNanoseconds(UInt64(pace.dueAt) * 1_000)) }
    }

    /// A refusal that the guard itself sends.
    private struct Refusal {
        let answer: ConnectionRefusalAnswer
        /// The refusal is sent when the number of unanswered requests has fallen to this number. It is 1 if the refused request itself was
        /// passed on, and otherwise 0.
        let unanswered: Int
    }

    private let terms: ConnectionTerms
    private let commons: ConnectionCommons
    private var arrival: Arrival?
    /// The number of requests that were passed on and whose answers are not yet written.
    private var unanswered = 0
    /// Whether the answer to the oldest unanswered request has begun.
    private var isAnswering = false
    /// Whether no request may follow the newest one on the connection, and whether the newest one is in HTTP/1.0.
    private var (isLast, isOld) = (false, false)
    /// Whether the connection ends after the answer that is being written.
    private var endsAfterAnswer = false
    /// A refusal that waits until earlier requests are answered. While it waits, no further input is accepted.
    private var refusal: Refusal?
    /// Whether the last answer was sent. Further input is then dropped, so that the client can read the answer before the connection
    /// closes.
    private var isDraining = false
    /// The number of body bytes of each unanswered request, the oldest request first. `held` is the sum of these numbers.
    private var parts: [Int] = []
    private var held = 0
    /// The part of `held` that was taken from the `BodyBudget`, from the pool of the request that took the first of these bytes.
    private var charge: BodyBudget.Charge?
    /// The time at which the buffer of the answer became full; nil while the buffer has room.
    private var stuckSince: NIODeadline?
    private var check: Scheduled<Void>?
    /// The end of the connection after the server has begun to stop; nil before that.
    private var stop: Scheduled<Void>?

    init(_ terms: ConnectionTerms, _ commons: ConnectionCommons) { (self.terms, self.commons) = (terms, commons) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        check?.cancel()
        stop?.cancel()
        (check, stop) = (nil, nil)
        giveBack()
    }

    // MARK: Reading requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Input after the last request is ignored, because a proxy may have taken it for the body of that request.
        guard !isDraining, refusal == nil, arrival != nil || !isLast else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let framing = RequestFraming(head)
            if framing.isFaulty { return refuse(context, Problem(.invalidRequest), of: head) }
            guard unanswered < Limits.unansweredMax else {
                return refuse(context, Problem(.rateLimited, retryAfterSeconds: 1), of: head)
            }
            begin(context, framing)
        case .body(let bytes):
            guard hold(context, bytes.readableBytes) else {
                commons.report.bodyRefused((arrival?.framing.pool ?? .ordinary).rawValue)
                return refuse(context, Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds))
            }
        case .end: arrival = nil
        }
        context.fireChannelRead(data)
    }

    private func begin(_ context: ChannelHandlerContext, _ framing: RequestFraming) {
        arrival = Arrival(framing, since: context.eventLoop.now, terms)
        unanswered += 1
        parts.append(0)
        (isLast, isOld) = (framing.isLast, framing.isOld)
        guard unanswered == 1, framing.awaitsWord else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    /// Takes a body's bytes from the `BodyBudget`, except the connection's first `bodyBytesFree` bytes. Returns false if the budget has too
    /// few bytes left.
    private func hold(_ context: ChannelHandlerContext, _ count: Int) -> Bool {
        let now = context.eventLoop.now.microseconds
        arrival?.pace.credit(count, perSecond: terms.bodyBytesPerSecond, at: now)
        let more = max(held + count - Limits.bodyBytesFree, 0) - (charge?.bytes ?? 0)
        if more > 0, let framing = arrival?.framing {
            let pipeline = context.channel.pipeline
            // Several lines of the field are one list (RFC 9110, 5.3). A client writes the first of them, and a proxy the last.
            let forwarded = framing.head.headers["x-forwarded-for"].joined(separator: ",")
            let share = PoolShare(of: commons.address(forwarded, context.channel))
            let isTaken = commons.bodies.take(more, for: &charge, from: framing.pool, of: share, at: now) {
                pipeline.fireUserInboundEventTriggered(Displacement())
            }
            guard isTaken else { return false }
        }
        held += count
        if !parts.isEmpty { parts[parts.count - 1] += count }
        return true
    }

    private func giveBack() {
        commons.bodies.giveBack(charge?.bytes ?? 0, of: &charge)
        held = 0
        parts = parts.map { _ in 0 }
    }

    /// Gives the bytes of the oldest request back to the `BodyBudget`, so that a client that always has another request open does not keep
    /// them.
    private func giveBackOldest() {
        guard !parts.isEmpty else { return }
        held -= parts.removeFirst()
        let (kept, charged) = (max(held - Limits.bodyBytesFree, 0), charge?.bytes ?? 0)
        if charged > kept { commons.bodies.giveBack(charged - kept, of: &charge) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A request that has arrived completely has no time limit.
        if arrival != nil { watch(context) }
        context.fireChannelReadComplete()
        // The handlers after this one stop reading once their request has failed. So this handler requests the reads that drain the input.
        if isDraining { context.read() }
    }

    // MARK: Writing answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isDraining else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isAnswering = true
            if head.status == .tooManyRequests, head.headers.contains(name: "Connection") { isLast = true }
            endsAfterAnswer = unanswered == 1 && (isLast || arrival != nil || head.status == .payloadTooLarge)
            context.write(endsAfterAnswer ? wrapOutboundOut(.head(last(head))) : data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end: endAnswer(context, data, promise)
        }
    }

    /// The head of the connection's last answer, changed so that it announces the connection's end.
    private func last(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        // An HTTP/1.0 client does not know chunked transfer, and the encoder uses none for this version.
        if isOld { head.version = .http1_0 }
        return head
    }

    private func endAnswer(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        unanswered -= 1
        isAnswering = false
        giveBackOldest()
        guard endsAfterAnswer else {
            context.write(data, promise: promise)
            return refuseInTurn(context)
        }
        context.writeAndFlush(data, promise: promise)
        drain(context)
    }

    // MARK: Sending refusals

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, context.channel.isActive else { return context.fireErrorCaught(error) }
        guard !isDraining, refusal == nil else { return }
        refuse(context, Problem(error == .headerOverflow ? .tooLarge : .invalidRequest))
    }

    /// Sends a refusal in place of the handlers after this one: at once, or after the answers to earlier requests.
    ///
    /// - Parameter head: the head of the refused request; nil if that request was passed on already, or if its head could not be decoded.
    private func refuse(_ context: ChannelHandlerContext, _ problem: Problem, of head: HTTPRequestHead? = nil) {
        let answer = ConnectionRefusalAnswer(problem: problem, head: head ?? arrival?.framing.head)
        let hasBegun = arrival != nil
        refusal = Refusal(answer: answer, unanswered: hasBegun ? 1 : 0)
        // Wakes the handler that reads the body, so that it does not wait for the rest of the body. Hummingbird sends no answer of its own
        // for an error of this type.
        if hasBegun { context.fireErrorCaught(HTTPParserError.unknown) }
        refuseInTurn(context)
    }

    private func refuseInTurn(_ context: ChannelHandlerContext) {
        guard let refusal, !isAnswering, unanswered == refusal.unanswered else { return }
        let (head, body) = refusal.answer.parts(commons)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        drain(context)
    }

    /// Closes the connection's output at once, and its input some time after the last byte was sent. Closing the input while the client's
    /// bytes are unread would make the system discard the answer.
    private func drain(_ context: ChannelHandlerContext) {
        isDraining = true
        arrival = nil
        giveBack()
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.assumeIsolated().whenComplete { [self] _ in
            guard context.channel.isActive else { return }
            check?.cancel()
            check = context.eventLoop.assumeIsolated().scheduleTask(in: terms.linger) { context.close(promise: nil) }
        }
        context.close(mode: .output, promise: isSent)
        context.read()
    }

    // MARK: Time limits

    /// Once the last answer was sent, later handlers must not learn that the output is closed, because they would close the connection at
    /// once.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isDraining, case .outputClosed? = event as? ChannelEvent { return }
        if event is Displacement { return giveWay(context) }
        if event is ChannelShouldQuiesceEvent { closeInTime(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Refuses the request whose place another client has taken, or cuts its answer off. Does nothing if the request is over.
    private func giveWay(_ context: ChannelHandlerContext) {
        guard !isDraining, refusal == nil, unanswered > 0 else { return }
        guard arrival != nil, !isAnswering else { return cutOff(context, .displaced) }
        refuse(context, Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds))
    }

    /// Closes the connection some time after the server has begun to stop. The handlers after this one close it earlier, once its requests
    /// are answered.
    private func closeInTime(_ context: ChannelHandlerContext) {
        guard stop == nil else { return }
        stop = context.eventLoop.assumeIsolated().scheduleTask(in: terms.stopping) { context.close(promise: nil) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stuckSince = context.channel.isWritable ? nil : context.eventLoop.now
        if stuckSince != nil { watch(context) }
        context.fireChannelWritabilityChanged()
    }

    private func watch(_ context: ChannelHandlerContext) {
        let deadlines = [arrival?.deadline, stuckSince.map { $0 + terms.patience }]
        guard check == nil, let next = deadlines.compactMap(\.self).min() else { return }
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { [self] in
            check = nil
            let now = context.eventLoop.now
            if let arrival, arrival.deadline <= now {
                cutOff(context, .slowRequest)
            } else if let stuckSince, stuckSince + terms.patience <= now {
                cutOff(context, .stuckAnswer)
            } else {
                watch(context)
            }
        }
    }

    private func cutOff(_ context: ChannelHandlerContext, _ reason: ConnectionReport.CutOff) {
        commons.report.cutOff(reason)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

extension NIODeadline {
    fileprivate var microseconds: Int64 { Int64(uptimeNanoseconds / 1_000) }
}
