import Composition
import EventLog
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore
import Nodes
import Synchronization

/// The answers that other nodes get, outside of the router and of the description: the log entry by entry, key rows and pictures.
///
/// The caller MUST have verified the signature. A fixed number of requests is answered at once, because only nodes get this far.
final class NodeRoutes: Sendable {
    private let resources: Resources
    private let key: EntryKey
    private let underWay = Atomic(0)

    init(resources: Resources) {
        self.resources = resources
        key = EntryKey(secret: resources.service.keys.entrySecret, log: resources.service.log.origin)
    }

    func answer(_ request: Request) async -> Response {
        defer { underWay.subtract(1, ordering: .relaxed) }
        guard underWay.add(1, ordering: .relaxed).newValue <= Limits.nodeRequestsMax else { return Response(status: .serviceUnavailable) }
        do {
            switch request.uri.path {
            case NodePaths.log: return try await entry(request)
            case NodePaths.keys: return try await keys(request)
            case let path where path.hasPrefix(NodePaths.pictures):
                return try await picture(String(path.dropFirst(NodePaths.pictures.count)))
            default: return Response(status: .notFound)
            }
        } catch {
            let problem = Problem(error)
            return Response(status: problem.code.status, body: ResponseBody(byteBuffer: ByteBuffer(string: problem.internalDetail ?? "")))
        }
    }

    /// The next entry after a position. Without one, waits for an event; then no content, and the head's position.
    private func entry(_ request: Request) async throws -> Response {
        let after = try request.positionAfter()
        let bytes = try request.number("bytes", in: 1...NodePaths.logBytesMax) ?? NodePaths.logBytesMax
        let log = resources.service.log
        // A node that is ahead learns it at once.
        if log.head <= after {
            guard log.head == after, try await log.headSignal.reached(after.next, timeoutSeconds: Limits.nodeWaitSeconds) else {
                return Response(status: .noContent).showing(log.head)
            }
        }
        guard let entry = try await blocking({ [key] in try log.entry(after: after, bytes: bytes, key: key) }) else {
            return Response(status: .noContent).showing(log.head)
        }
        return .node(entry.bytes).showing(log.head)
    }

    private func keys(_ request: Request) async throws -> Response {
        let names = (request.uri.queryParameters["accounts"] ?? "").split(separator: ",")
        let accounts = names.compactMap { AccountID(text: String($0)) }
        guard (1...NodePaths.accountsMax).contains(names.count), accounts.count == names.count else { throw Problem(.invalidRequest) }
        return .node(try await blocking { [resources] in try resources.service.keyRows(of: accounts) })
    }

    private func picture(_ name: String) async throws -> Response {
        guard let id = ImageID(text: name),
            let file = try await blocking({ [resources] in try resources.service.pictureForNode(id) })
        else { throw Problem(.notFound) }
        return .node(file)
    }
}

extension Response {
    fileprivate static func node(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.bytes, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
