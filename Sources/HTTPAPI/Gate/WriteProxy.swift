import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import NIOCore
import Nodes

/// Brings requests that may write to the node that writes.
///
/// Each `POST`, `PUT`, `PATCH` and `DELETE` is forwarded before anything else is looked at, except on ``ownPaths``; a `GET` only if its
/// route had to write. The writer decides about tokens, budgets and limits, with the client's address. Without an idempotency key, nothing
/// is sent again that may have been carried out. A request that another node has forwarded is never forwarded again.
///
/// A node that may be stale lets another one answer reads of people who are signed in.
///
/// While a cluster has no writer, a request is held for ``Limits/writerAwaitedSeconds``, in one of the slots.
struct WriteProxy: Sendable {
    /// Paths whose `POST` writes nothing: each node answers it by itself, and what-if jobs are known to their node alone. Previews of
    /// redemptions and the operators' search are forwarded, because only the writer counts wrong codes and has every number.
    static let ownPaths: Set<String> = [
        "/language", ScanRoutes.path, "/shop/{id}/numbers/what-if", "/shop/{id}/numbers/what-if/{number}/stop",
    ]

    /// Paths whose answer waits for a password's hash, a text message, a sheet or a picture.
    static let slowPaths: Set<String> = [
        "/v1/verifications", "/v1/sessions", "/v1/me/password", "/v1/shops/{id}/paper-cards", ImageRoutes.path,
    ]

    /// Paths whose answer has no end.
    static let endlessPaths: Set<String> = [LiveRoutes.path]

    private let resources: Resources
    private let peers: NodePeers
    private let slots: Slots
    private let slowSlots: Slots

    init(resources: Resources, peers: NodePeers) {
        (self.resources, self.peers) = (resources, peers)
        slots = Slots(Pools.forwarded.terms, clock: resources.service.clock)
        slowSlots = Slots(Pools.forwardedSlowly.terms, clock: resources.service.clock)
    }

    /// The route as a node with peers answers it.
    func wrapping(_ route: Route) -> Route {
        let mayWrite = route.method != .get && !Self.ownPaths.contains(route.path)
        return Route(method: route.method, path: route.path) { request, context in
            switch NodeHop.current {
            case .refused: throw Problem(.notFound)
            case .verified(let signed): return try await serve(request, context, signed, by: route, mayWrite: mayWrite)
            case nil: break
            }
            if mayWrite {
                do { return try await write(request, context, by: route) } catch is StaleNode { throw Problem.writerUnavailable() }
            }
            do {
                return try await route.handler(request, context)
            } catch ServiceError.notWriter where route.method == .get {
                return try await forward(request, context, or: route)
            } catch let stale as StaleNode {
                return try await newerAnswer(to: request, context, or: route, stale)
            } catch let elsewhere as AnswerElsewhere {
                return try await answer(to: request, context, elsewhere)
            }
        }
    }

    private var isWriter: Bool { if case .this = peers.writer() { true } else { false } }

    private func write(_ request: Request, _ context: APIContext, by route: Route) async throws -> Response {
        guard isWriter else { return try await forward(request, context, or: route) }
        // A picture is not kept in memory twice: if the node hands over meanwhile, its client sends it again.
        if peers.awaitWriter == nil || Self.isPicture(request) { return try await route.handler(request, context) }
        let whole = request.having(try await request.collected(atMost: Limits.bodyBytesMax))
        do {
            return try await route.handler(whole, context)
        } catch ServiceError.notWriter {
            return try await forward(whole, context, or: route)
        }
    }

    /// The answer to a node's request: 421 (RFC 9110, 15.5.20) if nothing was carried out because this node does not write.
    private func serve(
        _ request: Request, _ context: APIContext, _ signed: SignedRequest, by route: Route, mayWrite: Bool
    ) async throws -> Response {
        guard !mayWrite || isWriter else {
            // The sender keeps its connection only if the answer does not come before the body's end.
            do { for try await _ in request.body {} } catch {}
            return Response(status: .misdirectedRequest)
        }
        do {
            return try await route.handler(try await Self.admitted(request, signed), context)
        } catch ServiceError.notWriter {
            return Response(status: .misdirectedRequest)
        } catch is StaleNode {
            return Response(status: .misdirectedRequest)
        }
    }

    /// A forwarded request with the body that its node has signed.
    private static func admitted(_ request: Request, _ signed: SignedRequest) async throws -> Request {
        let bytes = try await request.bytes(atMost: bodyBytesMax(request))
        guard signed.covers(bytes) else { throw Problem(.invalidRequest, internalDetail: NodeRefusal.otherBody.description) }
        return request.having(ByteBuffer(bytes: bytes))
    }

    private static func bodyBytesMax(_ request: Request) -> Int { isPicture(request) ? ImageLimits.fileBytesMax : Limits.bodyBytesMax }

    private static func isPicture(_ request: Request) -> Bool { request.method == .post && ImageRoutes.takesPictures(request.uri.path) }

    // MARK: Forwarding

    /// The writer's answer, or the route's if this node is or becomes the writer.
    ///
    /// - Throws: `writerUnavailable` if there is no writer, or its answer was lost.
    private func forward(_ request: Request, _ context: APIContext, or route: Route) async throws -> Response {
        guard ForwardedRequest.allows(request.target) else { throw Problem(.notFound) }
        guard request.leavesRoomForNode else { throw Problem(.tooLarge) }
        var pictureSlot: Slot?
        defer { pictureSlot?.giveBack() }
        if Self.isPicture(request) {
            // Before the first byte, as in the route: strangers send no pictures, and a slow upload keeps its bytes in memory.
            _ = try await resources.gate.admit(request)
            pictureSlot = try resources.slots.pictures.take()
        }
        let body = try await request.collected(atMost: Self.bodyBytesMax(request))
        // After the last byte, so that slow clients do not keep others from writing.
        let slot = try (Self.slowPaths.contains(route.path) ? slowSlots : slots).take()
        defer { slot.giveBack() }
        let forwarded = ForwardedRequest(request, body, context)
        let deadline = resources.steadyNow.advanced(bySeconds: Limits.writerAwaitedSeconds)
        while true {
            var isKnown = true
            switch peers.writer() {
            case .this:
                // The route takes its own.
                pictureSlot?.giveBack()
                do { return try await route.handler(request.having(body), context) } catch ServiceError.notWriter {}
            case .other(let writer):
                guard let answer = try await answer(to: forwarded, by: writer) else { break }
                let response = Response(answer)
                await note(response, to: request)
                return response
            case .unknown: isKnown = false
            }
            try await awaitWriter(until: deadline, for: context.channel, isKnown: isKnown)
        }
    }

    /// The answer of a node that hears the shared log, or this node's own if no other node does, nor has more events.
    private func newerAnswer(to request: Request, _ context: APIContext, or route: Route, _ stale: StaleNode) async throws -> Response {
        guard let others = peers.others(), !Self.endlessPaths.contains(route.path), ForwardedRequest.allows(request.target),
            request.leavesRoomForNode
        else { throw stale }
        let slot = try slots.take()
        defer { slot.giveBack() }
        let forwarded = ForwardedRequest(request, try await request.collected(atMost: Limits.bodyBytesMax), context)
        if let response = try await newerAnswer(to: forwarded, of: others, stale) { return response }
        return try await StaleNode.$isAccepted.withValue(true) { try await route.handler(request, context) }
    }

    /// Nil if each node says that it hears the shared log as little, and has no more events than this one.
    private func newerAnswer(to request: ForwardedRequest, of others: [NodeClient], _ stale: StaleNode) async throws -> Response? {
        let head = resources.service.log.head
        var newest = head
        for node in others {
            // One that is frozen keeps its connections, and the slots are those of writes.
            let end = ContinuousClock.now + .seconds(Limits.newerAnswerSeconds)
            let response = (try? await node.forward(request, until: { ContinuousClock.now >= end })).map { Response($0) }
            if let response, response.status != .misdirectedRequest { return response }
            // A node without an answer may be the only one that hears the shared log.
            newest = max(newest, response?.headers[.greenTeaPosition].flatMap { Position(decimal: $0) } ?? Position(.max))
        }
        guard newest == head else { throw stale }
        return nil
    }

    /// The answer of the node that alone has it.
    private func answer(to request: Request, _ context: APIContext, _ elsewhere: AnswerElsewhere) async throws -> Response {
        guard let node = peers.node(elsewhere.node), ForwardedRequest.allows(request.target), request.leavesRoomForNode else {
            throw elsewhere
        }
        let slot = try slots.take()
        defer { slot.giveBack() }
        let forwarded = ForwardedRequest(request, try await request.collected(atMost: Limits.bodyBytesMax), context)
        do throws(NodeError) { return Response(try await node.forward(forwarded)) } catch { throw Problem.writerUnavailable() }
    }

    /// - Parameter isKnown: whether a writer is named that does not write.
    /// - Throws: `writerUnavailable` after the deadline, without a cluster, and for a client that has gone.
    private func awaitWriter(until deadline: Instant, for client: any Channel, isKnown: Bool) async throws {
        let seconds = Double(deadline.microseconds - resources.steadyNow.microseconds) / 1e6
        guard let awaitWriter = peers.awaitWriter, seconds > 0, client.isActive, !Task.isCancelled else {
            throw Problem.writerUnavailable()
        }
        if isKnown { try? await Task.sleep(for: .seconds(Limits.writerTriedSeconds)) }
        await awaitWriter(min(seconds, Limits.clientLookSeconds))
    }

    /// Nil if the request can be sent again: it was not carried out, or is recognised.
    private func answer(to request: ForwardedRequest, by writer: NodeClient) async throws(Problem) -> ForwardedAnswer? {
        do throws(NodeError) {
            // A writer that is frozen keeps its connections.
            let answer = try await writer.forward(request) { [peers] in
                switch peers.writer() {
                case .this: true
                case .other(let named): named !== writer
                case .unknown: false
                }
            }
            return answer.status == HTTPResponse.Status.misdirectedRequest.code ? nil : answer
        } catch {
            switch error {
            case .notConnected: return nil
            case .unreachable where request.isRepeatable: return nil
            case .unreachable: throw .writerUnavailable()
            // All others last until an operator acts.
            default: throw .writerUnavailable(error.description)
            }
        }
    }

    /// Lets the account's next reads on this node show the write. Waits for the events, because a session that began elsewhere is unknown
    /// here before.
    private func note(_ response: Response, to request: Request) async {
        guard let position = response.headers[.greenTeaPosition].flatMap({ Position(decimal: $0) }) else { return }
        if response.status.kind == .successful {
            _ = try? await resources.service.log.headSignal.reached(position, timeoutSeconds: Limits.forwardedCatchUpSeconds)
        }
        guard let sender = try? await resources.gate.admit(request) else { return }
        resources.service.ownWrites.note(position, of: sender.account)
        // The task that follows ended sessions may not have come so far.
        let session = try? resources.service.reading { try $0.session(sender.session) }
        if session?.isEnded == true { resources.gate.end(sender.session) }
    }
}

/// Only the node with this name has the answer.
struct AnswerElsewhere: Error { let node: NodeName }

extension Response {
    fileprivate init(_ answer: ForwardedAnswer) {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name) else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        self.init(status: .init(code: answer.status), headers: headers, body: ResponseBody(byteBuffer: answer.body))
    }
}

extension ForwardedRequest {
    fileprivate init(_ request: Request, _ body: ByteBuffer, _ context: APIContext) {
        var headers = request.headers
        // Also in the answer's text and the writer's log.
        headers[.requestID] = context.requestID
        let isGet = request.method == .get || request.method == .head
        self.init(
            isGet ? HTTPRequest.Method.get.rawValue : request.method.rawValue, request.target,
            headers: headers.map { (name: $0.name.rawName, value: $0.value) }, body: body,
            client: context.limitedAddress?.text, isRepeatable: isGet || request.headers.text(of: .idempotencyKey) != nil)
    }
}

extension Request {
    fileprivate func having(_ body: ByteBuffer) -> Request {
        var request = self
        request.body = RequestBody(buffer: body)
        return request
    }

    /// Whether the writer accepts the headers with those that this node adds.
    fileprivate var leavesRoomForNode: Bool {
        let bytes = headers.reduce(target.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return bytes + Limits.forwardedHeaderBytes <= Limits.headerBytesMax
            && headers.count + Limits.forwardedHeaderFields <= Limits.headerFieldsMax
    }
}
