import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// The time limits of a connection, and the minimum rate of request bodies.
struct ConnectionTerms: Sendable {
    /// The time after which a connection is closed if no request begins on it.
    var idle = TimeAmount.seconds(Limits.idleSeconds)
    /// The time within which a whole request must arrive. It is also the time within which the client must make room in a full buffer of
    /// its answer.
    var patience = TimeAmount.seconds(Limits.patienceSeconds)
    /// The time within which a whole request with a picture must arrive.
    var picturePatience = TimeAmount.seconds(Limits.picturePatienceSeconds)
    /// The time that a client has to read the last answer of a connection, counted from the answer's last byte.
    var linger = TimeAmount.seconds(Limits.lingerSeconds)
    /// The time after which a connection is closed once the server is stopping, even if it has a request that is not answered completely.
    var stopping = TimeAmount.seconds(Limits.stoppingSeconds)
    /// The time for which a body may arrive at any rate, and the most time that its earlier bytes earn.
    var bodyGrace = TimeAmount.seconds(Limits.bodyGraceSeconds)
    /// The minimum rate at which a body must arrive in each ``bodyGrace``.
    var bodyBytesPerSecond = Limits.bodyBytesPerSecondMin
}

/// State that all connections of a service share.
final class ConnectionCommons: Sendable {
    let bodies: BodyBudget
    let report: ConnectionReport
    let answers: AnswerRecord
    let logger: Logger
    /// Whether refusals make browsers use https; see ``TransportSecurityMiddleware``.
    let isEncrypted: Bool
    /// Finds the address whose share a request uses up, from the request's `X-Forwarded-For` and its connection.
    let address: @Sendable (_ forwarded: String?, any Channel) -> ClientAddress?

    init(
        bodies: BodyBudget, report: ConnectionReport, answers: AnswerRecord, logger: Logger, isEncrypted: Bool = false,
        address: @escaping @Sendable (_ forwarded: String?, any Channel) -> ClientAddress? = { _, _ in nil }
    ) {
        (self.bodies, self.report, self.answers, self.logger) = (bodies, report, answers, logger)
        (self.isEncrypted, self.address) = (isEncrypted, address)
    }
}

/// Sets up HTTP/1.1 like Hummingbird's own `HTTP1Channel`, and adds a `ConnectionGuard` directly after the decoder, because later handlers
/// no longer see the version of a request and the number of its `Host` fields.
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

/// A connection that was accepted, before and while it is handled.
///
/// An event loop accepts connections, and the server's task handles them. A connection that is accepted just when the server stops is never
/// handled. NIO requires that its channel is closed all the same, and otherwise ends the process with a failed precondition. So a
/// connection that was not handled closes its channel when it is released.
final class AcceptedConnection: ServerChildChannelValue {
    private let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    private let isTaken = Atomic(false)

    init(_ parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) { self.parts = parts }

    deinit {
        if isTaken.load(ordering: .acquiring) { return }
        Task { [parts] in try? await parts.executeThenClose { _, _ in } }
    }

    var channel: any Channel { parts.channel }

    /// Returns the channel of requests and answers to a caller that closes it.
    func take() -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        isTaken.store(true, ordering: .releasing)
        return parts
    }
}
