import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Images
import Loyalty
import NIOCore
import Nodes

/// Forwards requests that may write from a node that follows to the node that writes.
///
/// Each `POST`, `PUT`, `PATCH` and `DELETE` is forwarded before anything else is looked at, except on ``ownPaths``; a `GET` only if its
/// route had to write. The writer decides about tokens, budgets and limits, with the client's address. Without an idempotency key, nothing
/// is ever sent twice. A request that another node has forwarded is never forwarded again.
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
            let hop = NodeHop.current
            if case .refused = hop { throw Problem(.notFound) }
            if mayWrite, case .other(let writer) = peers.writer() {
                // The sender knows an earlier writer.
                guard hop == nil else { throw Problem.writerUnavailable() }
                return try await forward(request, context, of: route, to: writer)
            }
            if case .verified(let signed) = hop { return try await route.handler(try await Self.admitted(request, signed), context) }
            do {
                return try await route.handler(request, context)
            } catch ServiceError.notWriter where route.method == .get {
                guard case .other(let writer) = peers.writer() else { throw ServiceError.notWriter }
                return try await forward(request, context, of: route, to: writer)
            }
        }
    }

    /// A forwarded request with the body that its node has signed.
    private static func admitted(_ request: Request, _ signed: SignedRequest) async throws -> Request {
        var request = request
        let bytes = try await request.bytes(atMost: bodyBytesMax(request))
        guard signed.covers(bytes) else { throw Problem(.invalidRequest, internalDetail: NodeRefusal.otherBody.description) }
        request.body = RequestBody(buffer: ByteBuffer(bytes: bytes))
        return request
    }

    private static func bodyBytesMax(_ request: Request) -> Int { isPicture(request) ? ImageLimits.fileBytesMax : Limits.bodyBytesMax }

    private static func isPicture(_ request: Request) -> Bool { request.method == .post && ImageRoutes.takesPictures(request.uri.path) }

    // MARK: Forwarding

    /// - Throws: `writerUnavailable` if there is no writer, or its answer was lost.
    private func forward(_ request: Request, _ context: APIContext, of route: Route, to writer: NodeClient?) async throws -> Response {
        guard let writer else { throw Problem.writerUnavailable() }
        guard ForwardedRequest.allows(request.target) else { throw Problem(.notFound) }
        guard request.leavesRoomForNode else { throw Problem(.tooLarge) }
        var pictureSlot: Slot?
        defer { pictureSlot?.giveBack() }
        if Self.isPicture(request) {
            // Before the first byte, as in the route: strangers send no pictures, and a slow upload keeps its bytes in memory.
            _ = try await resources.gate.admit(request)
            pictureSlot = try resources.slots.pictures.take()
        }
        let bytes = try await request.bytes(atMost: Self.bodyBytesMax(request))
        // After the last byte, so that slow clients do not keep others from writing.
        let slot = try (Self.slowPaths.contains(route.path) ? slowSlots : slots).take()
        defer { slot.giveBack() }
        var headers = request.headers
        // Also in the answer's text and the writer's log.
        headers[.requestID] = context.requestID
        let isGet = request.method == .get || request.method == .head
        let forwarded = ForwardedRequest(
            isGet ? HTTPRequest.Method.get.rawValue : request.method.rawValue, request.target,
            headers: headers.map { (name: $0.name.rawName, value: $0.value) }, body: ByteBuffer(bytes: bytes),
            client: context.limitedAddress?.text, isRepeatable: isGet || request.headers.text(of: .idempotencyKey) != nil)
        let response = Response(try await answer(to: forwarded, by: writer))
        await note(response, to: request)
        return response
    }

    private func answer(to request: ForwardedRequest, by writer: NodeClient) async throws(Problem) -> ForwardedAnswer {
        do throws(NodeError) { return try await writer.forward(request) } catch {
            // All others last until an operator acts.
            if case .unreachable = error { throw .writerUnavailable() }
            throw .writerUnavailable(error.description)
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

extension Request {
    /// Whether the writer accepts the headers with those that this node adds.
    fileprivate var leavesRoomForNode: Bool {
        let bytes = headers.reduce(target.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        return bytes + Limits.forwardedHeaderBytes <= Limits.headerBytesMax
            && headers.count + Limits.forwardedHeaderFields <= Limits.headerFieldsMax
    }
}
