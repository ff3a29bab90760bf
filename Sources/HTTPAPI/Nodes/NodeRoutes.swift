import CommandService
import Composition
import EventLog
import Hummingbird
import Images
import Loyalty
import LoyaltyCodec
import NIOCore
import Nodes
import Synchronization

/// The answers that other nodes get, outside of the router and of the description: the log entry by entry, key rows and pictures, which
/// the writer also sends here.
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

    func answer(_ request: Request, _ signed: SignedRequest) async -> Response {
        defer { underWay.subtract(1, ordering: .relaxed) }
        guard underWay.add(1, ordering: .relaxed).newValue <= Limits.nodeRequestsMax else { return Response(status: .serviceUnavailable) }
        do {
            let path = request.uri.path
            let image = path.hasPrefix(NodePaths.pictures) ? ImageID(text: String(path.dropFirst(NodePaths.pictures.count))) : nil
            switch (request.method, path, image) {
            case (.get, NodePaths.log, _): return try await entry(request)
            case (.get, NodePaths.keys, _): return .node(try await keys(of: request))
            case (.post, NodePaths.keys, _): return try await keepKeys(request, signed)
            case (.get, _, let image?): return try await picture(image)
            case (.post, _, let image?): return try await keep(image, request, signed)
            default: return Response(status: .notFound)
            }
        } catch let refusal as KeyRowsError {
            return Response(status: .conflict, body: ResponseBody(byteBuffer: ByteBuffer(string: refusal.description)))
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

    private func keys(of request: Request) async throws -> [UInt8] {
        let accounts = try Self.accounts(of: request)
        return try await blocking { [resources] in try resources.service.keyRows(of: accounts) }
    }

    private static func accounts(of request: Request) throws -> [AccountID] {
        let names = (request.uri.queryParameters["accounts"] ?? "").split(separator: ",")
        let accounts = names.compactMap { AccountID(text: String($0)) }
        guard (1...NodePaths.accountsMax).contains(names.count), accounts.count == names.count else { throw Problem(.invalidRequest) }
        return accounts
    }

    private func keepKeys(_ request: Request, _ signed: SignedRequest) async throws -> Response {
        let accounts = try Self.accounts(of: request)
        guard let term = try request.number("term", in: 1...Int.max) else { throw Problem(.invalidRequest) }
        let rows = try await Self.body(of: request, signed, bytesMax: CommandService.Limits.keyRowsBytesMax)
        try await blocking { [resources] in try resources.service.keepRows(rows, of: accounts, term: UInt64(term)) }
        return Response(status: .noContent)
    }

    private func picture(_ image: ImageID) async throws -> Response {
        guard let file = try await blocking({ [resources] in try resources.service.pictureForNode(image) }) else {
            throw Problem(.notFound)
        }
        return .node(file)
    }

    private func keep(_ image: ImageID, _ request: Request, _ signed: SignedRequest) async throws -> Response {
        let file = try await Self.body(of: request, signed, bytesMax: NodePaths.pictureBytesMax)
        try await blocking { [resources] in try resources.service.keepPicture(image, file) }
        return Response(status: .noContent)
    }

    private static func body(of request: Request, _ signed: SignedRequest, bytesMax: Int) async throws -> [UInt8] {
        let bytes = try await request.bytes(atMost: bytesMax)
        guard signed.covers(bytes) else { throw Problem(.invalidRequest, internalDetail: NodeRefusal.otherBody.description) }
        return bytes
    }
}

extension Response {
    fileprivate static func node(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.bytes, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
