import Caches
import NIOCore
import NIOHTTP1

/// Enforces the protocol and time limits of a connection, refuses bad input with a problem document, and answers `Expect: 100-continue`.
///
/// The server itself closes idle connections. The guard handles the rest:
///
/// - A body MUST arrive at a minimum rate in each period of some seconds, and its request in time.
/// - Bodies in memory are taken from a `BodyBudget`. If another client takes the place (``Displacement``), the request is refused or its
///   answer cut off.
/// - A client MUST make room in a full buffer of its answer in time.
/// - A refusal that `RateMiddleware` marks with `Connection: close` ends the connection.
/// - Only a limited number of pipelined requests is passed on; the next one is refused.
/// - Each connection closes some time after the server begins to stop.
/// - After an answer to an incomplete request, the connection closes once the client had time to read it.
///
/// The guard comes directly after the decoder, where version and all Host headers are visible, so that requests that RFC 9112 forbids get a
/// problem document. It belongs to the connection's event loop. A request in one piece schedules nothing.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Arrival {
        let framing: RequestFraming
        private let since: NIODeadline
        var pace: Pace

        init(_ framing: RequestFraming, since: NIODeadline, _ terms: ConnectionTerms) {
            (self.framing, self.since) = (framing, since)
            pace = Pace(at: since.microseconds, window: terms.bodyGrace.nanoseconds / 1_000)
        }

        /// Received bytes move this moment later. Computed when asked for: most requests arrive whole, and their paths are not parsed here.
        func deadline(_ terms: ConnectionTerms) -> NIODeadline {
            let patience = framing.pool == .pictures ? terms.picturePatience : terms.patience
            return min(since + patience, .uptimeNanoseconds(UInt64(pace.dueAt) * 1_000))
        }
    }

    private struct Refusal {
        let answer: ConnectionRefusalAnswer
        /// Sent when the unanswered requests have fallen to this number: 1 if the refused request was passed on, else 0.
        let unanswered: Int
    }

    private let terms: ConnectionTerms
    private let commons: ConnectionCommons
    private var arrival: Arrival?
    /// Requests passed on whose answers are not written.
    private var unanswered = 0
    /// For the oldest unanswered request.
    private var isAnswering = false
    private var (isLast, isOld) = (false, false)
    private var endsAfterAnswer = false
    /// Waits for the answers to earlier requests; meanwhile no input is accepted.
    private var refusal: Refusal?
    /// The last answer was sent. Input is dropped, so that the client can read the answer before the connection closes.
    private var isDraining = false
    /// Body bytes of each unanswered request, oldest first; `held` is their sum.
    private var parts: [Int] = []
    private var held = 0
    /// The part of `held` from the `BodyBudget`, all from one pool.
    private var charge: BodyBudget.Charge?
    /// Nil while the answer's buffer has room.
    private var stuckSince: NIODeadline?
    private var check: Scheduled<Void>?
    /// Nil until the server begins to stop.
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
        // Ignored, because a proxy may have taken it for the body of the last request.
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

    /// Returns false if the budget has too few bytes left.
    private func hold(_ context: ChannelHandlerContext, _ count: Int) -> Bool {
        let now = context.eventLoop.now.microseconds
        arrival?.pace.credit(count, perSecond: terms.bodyBytesPerSecond, at: now)
        let more = max(held + count - Limits.bodyBytesFree, 0) - (charge?.bytes ?? 0)
        if more > 0, let framing = arrival?.framing {
            let pipeline = context.channel.pipeline
            let (address, isNode) = commons.sender(framing.head, context.channel)
            let isTaken = commons.bodies.take(
                more, for: &charge, from: isNode ? .nodes : framing.pool, of: PoolShare(of: address), at: now
            ) {
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

    private func giveBackOldest() {
        guard !parts.isEmpty else { return }
        held -= parts.removeFirst()
        let (kept, charged) = (max(held - Limits.bodyBytesFree, 0), charge?.bytes ?? 0)
        if charged > kept { commons.bodies.giveBack(charged - kept, of: &charge) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A complete request has no time limit.
        if arrival != nil { watch(context) }
        context.fireChannelReadComplete()
        // Later handlers stop reading once their request has failed, so this one drains the input.
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

    /// Announces the connection's end.
    private func last(_ head: HTTPResponseHead) -> HTTPResponseHead {
        var head = head
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        // HTTP/1.0 clients do not know chunked transfer.
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

    /// `head` is nil if the request was passed on, or could not be decoded.
    private func refuse(_ context: ChannelHandlerContext, _ problem: Problem, of head: HTTPRequestHead? = nil) {
        let answer = ConnectionRefusalAnswer(problem: problem, head: head ?? arrival?.framing.head)
        let hasBegun = arrival != nil
        refusal = Refusal(answer: answer, unanswered: hasBegun ? 1 : 0)
        // Wakes the handler that reads the body. Hummingbird sends no answer of its own for this type.
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

    /// Closes the output at once and the input later: closing the input with unread bytes would make the system discard the answer.
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

    /// Later handlers would close the connection at once if they learned that the output is closed.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isDraining, case .outputClosed? = event as? ChannelEvent { return }
        if event is Displacement { return giveWay(context) }
        if event is ChannelShouldQuiesceEvent { closeInTime(context) }
        context.fireUserInboundEventTriggered(event)
    }

    /// Refuses the displaced request, or cuts its answer off.
    private func giveWay(_ context: ChannelHandlerContext) {
        guard !isDraining, refusal == nil, unanswered > 0 else { return }
        guard arrival != nil, !isAnswering else { return cutOff(context, .displaced) }
        refuse(context, Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds))
    }

    /// Later handlers close the connection earlier if its requests are answered.
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
        let deadlines = [arrival?.deadline(terms), stuckSince.map { $0 + terms.patience }]
        guard check == nil, let next = deadlines.compactMap(\.self).min() else { return }
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { [self] in
            check = nil
            let now = context.eventLoop.now
            if let arrival, arrival.deadline(terms) <= now {
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
