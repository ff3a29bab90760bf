import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Writes long answers in pieces, each after the client has read most of the previous piece.
///
/// `ConnectionGuard` disconnects a client that does not read its answer. The guard notices that a client reads when the buffer of the
/// connection becomes writable again. If a long answer were written at once, the buffer would become writable only at the end of the
/// answer, and a client that reads slowly but steadily would also be disconnected.
///
/// A body that makes its pieces as they are written, like that of a picture, needs memory for three pieces at most: two fill the buffer of
/// the connection, and one waits until the buffer has room.
struct PieceMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let length = response.body.contentLength
        // Most answers are short and need not be split.
        if let length, length <= Limits.answerPieceBytes { return response }
        let (whole, loop) = (response.body, context.channel.eventLoop)
        response.body = ResponseBody(contentLength: length) { try await whole.write(PieceWriter(writer: $0, loop: loop)) }
        return response
    }
}

/// Passes a body on to another writer, in pieces of at most ``Limits/answerPieceBytes``.
///
/// The connection's writer only hands the bytes to the event loop, and waits only if the event loop has seen that the buffer is full. So
/// this writer waits for the event loop after each ``Limits/answerPieceBytes``. Otherwise it could hand over a whole body before a busy
/// event loop sees the first piece.
struct PieceWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter
    private let loop: any EventLoop
    /// The number of bytes that the event loop may not have seen yet.
    private var handedOver = 0

    /// - Parameter loop: the event loop of the connection.
    init(writer: any ResponseBodyWriter, loop: any EventLoop) { (self.writer, self.loop) = (writer, loop) }

    @concurrent
    mutating func write(_ buffer: ByteBuffer) async throws {
        var rest = buffer
        while rest.readableBytes > Limits.answerPieceBytes, let piece = rest.readSlice(length: Limits.answerPieceBytes) {
            try await pass(piece)
        }
        try await pass(rest)
    }

    @concurrent
    private mutating func pass(_ piece: ByteBuffer) async throws {
        try await writer.write(piece)
        handedOver += piece.readableBytes
        guard handedOver >= Limits.answerPieceBytes else { return }
        try await loop.submit {}.get()
        handedOver = 0
    }

    @concurrent
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await writer.finish(trailingHeaders) }
}
