import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension Response {
    /// Writes a long answer in pieces, each after the client has read most of the previous one. `ConnectionGuard` notices reading only when
    /// the buffer becomes writable, so with one long write it would disconnect slow but steady readers. A body made piece by piece holds
    /// three pieces at most.
    func inPieces(on loop: any EventLoop) -> Response {
        let length = body.contentLength
        if let length, length <= Limits.answerPieceBytes { return self }
        var response = self
        response.body = ResponseBody(contentLength: length) { [body] in try await body.write(PieceWriter(writer: $0, loop: loop)) }
        return response
    }
}

/// Passes a body on in pieces of at most ``Limits/answerPieceBytes``, and waits for the event loop after each. The connection's writer
/// waits only once the loop has seen a full buffer: a busy loop would otherwise get a whole body.
struct PieceWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter
    private let loop: any EventLoop
    /// Bytes that the event loop may not have seen.
    private var handedOver = 0

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
