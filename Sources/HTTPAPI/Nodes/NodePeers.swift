import CommandService
import Composition
package import EventLog
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
package import Nodes

/// The other nodes of a node's log, as far as its HTTP API needs them.
package struct NodePeers: Sendable {
    /// The node that writes.
    package enum Writer: Sendable {
        case this
        case other(NodeClient)
        /// None is known.
        case unknown
    }

    /// This node's, which also verifies the requests of others.
    package var signature: NodeSignature
    /// Called for each request that may write.
    package var writer: @Sendable () -> Writer
    /// Returns as soon as a writer is known or the task is cancelled, at the latest after so many seconds. Nil if the writer never changes.
    package var awaitWriter: (@Sendable (_ seconds: Double) async -> Void)?
    /// This node's name; nil without a cluster.
    package var name: NodeName?
    /// Another node, if it seemed alive lately.
    package var node: @Sendable (NodeName) -> NodeClient? = { _ in nil }
    /// Whether this node may not know of sessions and accounts that ended a while ago.
    package var isStale: @Sendable () -> Bool = { false }
    /// The other nodes that seemed alive at last, the writer first; nil if this node cannot know them.
    package var others: @Sendable () -> [NodeClient]? = { nil }
    /// Returns whether, after at most so many seconds, this node knows each session that ended up to the position. Nil if it always does.
    package var knowsSessions: (@Sendable (_ endedThrough: Position, _ seconds: Double) async -> Bool)?

    /// Whether this node may lack what others have written.
    var areWriting: Bool { if case .this = writer() { false } else { true } }
    /// Whether browsers may have another node.
    var areKnown: Bool { areWriting || signature.hasMet }

    /// Creates a description of the peers.
    package init(
        signature: NodeSignature, writer: @escaping @Sendable () -> Writer,
        awaitWriter: (@Sendable (_ seconds: Double) async -> Void)? = nil
    ) {
        (self.signature, self.writer, self.awaitWriter) = (signature, writer, awaitWriter)
    }
}

/// The sender of a request that names itself a node.
enum NodeHop: Sendable {
    /// The signature is not that of a node of this log, or must not be used.
    case refused
    case verified(SignedRequest)

    /// Nil for a request without a node's signature.
    @TaskLocal static var current: NodeHop?

    /// Whether another node sent the request.
    static var isOfNode: Bool { if case .verified = current { true } else { false } }
}

/// Verifies the signatures of nodes, and answers what nodes ask for themselves. Comes before `ProblemMiddleware`, so that every answer to a
/// node says whether its signature was accepted.
///
/// A request without a valid signature goes on like any other, with its limits, and ends as for a path that does not exist. Only the holder
/// of the key learns the reason.
struct NodeGate: RouterMiddleware {
    let resources: Resources
    let peers: NodePeers
    private let routes: NodeRoutes

    init(resources: Resources, peers: NodePeers) {
        (self.resources, self.peers) = (resources, peers)
        routes = NodeRoutes(resources: resources)
    }

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers.text(of: .greenTeaNode) else { return try await next(request, context) }
        let signed: SignedRequest
        do throws(NodeRefusal) { signed = try peers.signature.verify(header, request.method.rawValue, request.target) } catch {
            if case .otherEpoch(let newest) = error { return await Self.otherEpoch(newest, request) }
            let response = try await NodeHop.$current.withValue(.refused) { try await next(request, context) }
            return error == .unknown ? response : response.with(.greenTeaNode, error.description)
        }
        let response: Response
        if [.get, .post].contains(request.method), request.uri.path.hasPrefix(NodePaths.root) {
            response = await routes.answer(request, signed)
        } else {
            response = try await NodeHop.$current.withValue(.verified(signed)) { try await next(request, context) }
        }
        let answer = positioned(response).with(.greenTeaNode, NodeSignature.accepted)
        return signed.newEpoch.map { answer.with(.greenTeaNodeEpoch, String($0, radix: 16)) } ?? answer
    }

    /// After the body, because the sender keeps its connection only if the answer does not come before.
    private static func otherEpoch(_ newest: UInt64, _ request: Request) async -> Response {
        do { for try await _ in request.body {} } catch {}
        return Response(status: .misdirectedRequest).with(.greenTeaNode, NodeRefusal.otherEpoch(newest).description)
            .with(.greenTeaNodeEpoch, String(newest, radix: 16))
    }

    /// The other node waits for this position, so that the client's next request there finds what this one did.
    private func positioned(_ response: Response) -> Response {
        response.headers[.greenTeaPosition] == nil ? response.showing(resources.service.log.head) : response
    }
}

/// Names each request's client for the limits, as ``PoolClientMiddleware`` does. A node has signed the address of its client.
struct NodeClientMiddleware: RouterMiddleware {
    let resources: Resources

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let address =
            if case .verified(let signed) = NodeHop.current {
                resources.limited(signed.client.flatMap { ClientAddress($0) })
            } else {
                resources.limitedAddress(of: request, context)
            }
        return try await PoolClientMiddleware.serve(request, context, as: address, next)
    }
}

extension Resources {
    /// The address whose limits a connection's request uses up before it is routed, and whether a node has sent it for itself.
    func sender(of head: HTTPRequestHead, through channel: any Channel) -> (address: ClientAddress?, isNode: Bool) {
        if let peers = configuration.peers, let header = head.headers.first(name: NodeSignature.headerName) {
            let (client, isNode) = peers.signature.sender(header, head.method.rawValue, head.uri)
            if isNode { return (limited(client.flatMap { ClientAddress($0) }), client == nil && head.uri.hasPrefix(NodePaths.root)) }
        }
        // Several lines of the field are one list (RFC 9110, 5.3). A client writes the first, a proxy the last.
        let forwarded = head.headers["x-forwarded-for"]
        return (limitedAddress(forwarded: forwarded.joined(separator: ","), through: channel), false)
    }
}

extension Request {
    /// The path and, after a question mark, the query if it is not empty: as nodes sign it.
    var target: String {
        guard let query = uri.query, !query.isEmpty else { return uri.path }
        return uri.path + "?" + query
    }
}

extension HTTPField.Name {
    static let greenTeaNode = Self(NodeSignature.headerName)!
    static let greenTeaNodeEpoch = Self(NodeSignature.epochHeaderName)!
}
