import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import Merkle
import NIOCore

/// The routes of the log as a transparency log (C2SP tlog-tiles, tlog-checkpoint and tlog-proof, https://c2sp.org). Tiles are hashes; tiles
/// of entries show events, so all but operators get the answer for a missing tile.
struct ProofRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/checkpoint", checkpoint), .get("/tile/**", tile), .get("/v1/stamps/{position}/receipt", receipt),
            .get("/v1/erasures/{position}/receipt", erasureReceipt),
        ]
    }

    private func checkpoint(_ request: Request, _ context: APIContext) async throws -> Response {
        .note(resources.service.checkpoint.note.bytes, caching: "public, max-age=\(Limits.checkpointSecondsMax)")
    }

    /// Accepts only the canonical spelling of the path.
    private func tile(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let tile = try? Tile(path: String(request.uri.path.dropFirst())) else { throw Problem(.notFound) }
        if case .entries = tile.kind { return try await entries(tile, request) }
        guard let bytes = try resources.service.bytes(of: tile) else { throw Problem(.notFound) }
        return .tile(bytes)
    }

    /// Everybody but operators gets the answer for a missing tile.
    private func entries(_ tile: Tile, _ request: Request) async throws -> Response {
        do {
            _ = try await resources.gate.admitOperator(request)
        } catch is Problem {
            throw Problem(.notFound)
        }
        guard let bytes = try resources.service.entries(of: tile) else { throw Problem(.notFound) }
        return Response.tile(bytes).unstored()
    }

    private func receipt(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let position = try context.position()
        try await resources.awaitPosition(of: request)
        guard let receipt = try await resources.service.receipt(ofStampAt: position, for: bearer.account) else {
            throw Problem(.notFound)
        }
        return .note(receipt.bytes, caching: "private, no-cache")
    }

    /// Proves that an account was erased, by its id and the position, because nobody can sign in to it. Colleagues know the id and could
    /// try all positions to learn when somebody left, so an IPv4 address or IPv6 /48 may fail only a few times. A wrong id and a wrong
    /// position get the same answer.
    private func erasureReceipt(_ request: Request, _ context: APIContext) async throws -> Response {
        let position = try context.position()
        guard let account = try QueryReader(request).id("account", of: Account.self) else { throw Problem.invalid("account", .required) }
        let holder = context.limitedAddress?.network ?? context.limitedAddress
        if let holder { try await resources.budgets.erasures.begin(holder) }
        var isFailed = false
        defer { if let holder { resources.budgets.erasures.end(holder, failed: isFailed) } }
        guard let receipt = try await resources.service.receipt(ofErasureAt: position, of: account) else {
            isFailed = true
            throw Problem(.notFound)
        }
        return .note(receipt.bytes, caching: "private, no-cache")
    }
}

extension Response {
    /// A checkpoint or a receipt, unchanged.
    static func note(_ bytes: [UInt8], caching: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.note, .cacheControl: caching],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Never changes.
    static func tile(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: ContentTypes.bytes, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
