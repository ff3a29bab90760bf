import CommandService
import EventLog
import Hummingbird
import Merkle

/// The log as a transparency log: what anyone needs to check it, and what a customer needs to prove a stamp.
///
/// Paths, media types and caching follow C2SP tlog-tiles and tlog-checkpoint; receipts C2SP tlog-proof (https://c2sp.org). Tiles are
/// hashes and say nothing of anybody. Tiles of entries show events, so they are for operators, of whom there are none yet: 404.
struct ProofRoutes {
    let resources: Resources

    var routes: [Route] {
        [.get("/checkpoint", checkpoint), .get("/tile/**", tile), .get("/v1/stamps/{position}/receipt", receipt)]
    }

    private func checkpoint(_ request: Request, _ context: APIContext) async throws -> Response {
        .note(resources.service.checkpoint.note.bytes, caching: "public, max-age=\(Limits.checkpointSecondsMax)")
    }

    /// Whatever is no tile's one path names nothing.
    private func tile(_ request: Request, _ context: APIContext) async throws -> Response {
        guard let tile = try? Tile(path: String(request.uri.path.dropFirst())), let bytes = try resources.service.bytes(of: tile) else {
            throw Problem(.notFound)
        }
        return .tile(bytes)
    }

    private func receipt(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let position = try context.position()
        guard let receipt = try await resources.service.receipt(ofStampAt: position, for: bearer.account) else {
            throw Problem(.notFound)
        }
        return .note(receipt.bytes, caching: "private, no-cache")
    }
}
