import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Writes long answers in pieces, each after the client has read most of the previous piece.
///
/// `ConnectionGuard` disconnects a client that does not read its answer. The guard notices that a client reads when the buffer of the
/// connection becomes writable again. If a long answer were written at once, the buffer would become writable only at the end of the
/// answer, and a client that reads slowly but steadily would also be disconnected.
struct PieceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let length = response.body.contentLength
        // Most answers are short and need not be split.
        if let length, length <= Limits.answerPieceBytes { return response }
        let whole = response.body
        response.body = ResponseBody(contentLength: length) { try await whole.write(PieceWriter(writer: $0)) }
        return response
    }
}

/// Passes a body on to another writer, in pieces of at most ``Limits/answerPieceBytes``.
struct PieceWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter

    @concurrent
    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while rest.readableBytes > Limits.answerPieceBytes, let piece = rest.readSlice(length: Limits.answerPieceBytes) {
            try await writer.write(piece)
        }
        try await writer.write(rest)
    }

    @concurrent
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await writer.finish(trailingHeaders) }
}
