import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

struct ConnectionTerms: Sendable {
    var idle = TimeAmount.seconds(Limits.idleSeconds)
    /// For a whole request, and for making room in a full buffer of the answer.
    var patience = TimeAmount.seconds(Limits.patienceSeconds)
    var picturePatience = TimeAmount.seconds(Limits.picturePatienceSeconds)
    /// From the last answer's last byte.
    var linger = TimeAmount.seconds(Limits.lingerSeconds)
    /// Ends even connections with an unanswered request.
    var stopping = TimeAmount.seconds(Limits.stoppingSeconds)
    /// A body may arrive at any rate for this long, and earlier bytes earn at most this time.
    var bodyGrace = TimeAmount.seconds(Limits.bodyGraceSeconds)
    /// Over each ``bodyGrace``.
    var bodyBytesPerSecond = Limits.bodyBytesPerSecondMin
}

/// State shared by all connections.
final class ConnectionCommons: Sendable {
    let bodies: BodyBudget
    let report: ConnectionReport
    let answers: AnswerRecord
    let logger: Logger
    let isEncrypted: Bool
    typealias Sender = @Sendable (HTTPRequestHead, any Channel) -> (address: ClientAddress?, isNode: Bool)

    /// The address charged for a request, and whether a node has sent it for itself.
    let sender: Sender

    init(
        bodies: BodyBudget, report: ConnectionReport, answers: AnswerRecord, logger: Logger, isEncrypted: Bool = false,
        sender: @escaping Sender = { _, _ in (nil, false) }
    ) {
        (self.bodies, self.report, self.answers, self.logger) = (bodies, report, answers, logger)
        (self.isEncrypted, self.sender) = (isEncrypted, sender)
    }
}

/// Hummingbird's `HTTP1Channel` with a `ConnectionGuard` directly after the decoder, because later handlers no longer see the version and
/// the `Host` fields.
struct GuardedChannel: HTTPChannelHandler {
    let responder: Responder
    let terms: ConnectionTerms
    let commons: ConnectionCommons

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = Limits.headerFieldBytesMax
            limits.maxHeaderListSize = Limits.headerBytesMax
            limits.maxHeaderFieldCount = Limits.headerFieldsMax
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,  // NIOAsyncChannel keeps requests in order.
                withErrorHandling: false,  // The guard answers.
                withOutboundHeaderValidation: false,  // HTTPTypes validates.
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(ConnectionGuard(terms, commons))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: .init(terms.idle), logger: logger))
            return AcceptedConnection(
                try NIOAsyncChannel(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async { await handleHTTP(asyncChannel: value.take(), logger: logger) }
}

/// An accepted connection. One that is accepted just when the server stops is never handled, and NIO ends the process if its channel is not
/// closed. So an unhandled connection closes its channel when released.
final class AcceptedConnection: ServerChildChannelValue {
    private let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    private let isTaken = Atomic(false)

    init(_ parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) { self.parts = parts }

    deinit {
        if isTaken.load(ordering: .acquiring) { return }
        Task { [parts] in try? await parts.executeThenClose { _, _ in } }
    }

    var channel: any Channel { parts.channel }

    /// The caller closes the channel.
    func take() -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        isTaken.store(true, ordering: .releasing)
        return parts
    }
}

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
