import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import ReadModels
import ServiceLifecycle

/// The route of the live stream.
struct LiveRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/me/events", events)] }

    private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        let token = try await resources.gate.admitToken(request)
        let lastEvent = try Self.lastEvent(of: request)
        // A body is read before the stream opens. Otherwise Hummingbird waits for a reader of it, even after the stream has ended, and the
        // stream never closes.
        var request = request
        let unused = try await request.bytes(atMost: Limits.bodyBytesMax)
        request.body = RequestBody(buffer: ByteBuffer(bytes: unused))
        let stream = try resources.service.live.open(
            for: token.bearer.account, session: token.bearer.session, until: token.expiresAt, after: lastEvent)
        // A client may read its cards and notices once the stream is open, so the read models catch up first. After a timeout, the stream
        // opens all the same.
        if lastEvent == nil { try? await resources.awaitHead(in: CardProgress.name, Notices.name) }
        let writing = LiveWriting(resources: resources, stream: stream, account: token.bearer.account)
        // Keeps nginx from buffering the stream.
        let headers: HTTPFields = [.contentType: ContentTypes.events, .cacheControl: "no-store", Self.buffering: "no"]
        return Response(status: .ok, headers: headers, body: Self.body(writing, request))
    }

    /// Ends when the client hangs up, the service shuts down, or the stream ends.
    private static func body(_ writing: LiveWriting, _ request: Request) -> ResponseBody {
        ResponseBody { writer in
            try await request.body.consumeWithInboundCloseHandler { _ in
                try await withGracefulShutdownHandler {
                    try await writing.run(&writer)
                } onGracefulShutdown: {
                    writing.stream.end(.stopping)
                }
            } onInboundClosed: {
                writing.stream.end(.gone)
            }
        }
    }

    /// The position to resume from: a header from browsers, a parameter from clients that cannot set headers.
    private static func lastEvent(of request: Request) throws(Problem) -> Position? {
        let parameter = request.uri.queryParameters["lastEventId"].map(String.init)
        guard let text = request.headers[.lastEventID] ?? parameter else { return nil }
        guard let position = Position(decimal: text) else { throw .invalid("", .lastEventPosition) }
        return position
    }

    private static let buffering = HTTPField.Name("X-Accel-Buffering")!
}

/// A message of Server-Sent Events (HTML standard). Its id is the event's position, so a reader resumes without gap or repetition.
enum LiveMessage {
    /// The reconnection time, and the id to resume from before the first event. Readers ignore it, because it has no data.
    static func opening(after position: Position) -> String {
        "retry: \(Limits.liveRetryMilliseconds)\nid: \(position.rawValue)\n\n"
    }

    /// Keeps proxies from closing an idle stream.
    static let beat = ": beat\n\n"

    /// For people who read the raw stream.
    static func ending(_ reason: LiveEnding) -> String { ": end \(reason)\n\n" }

    /// JSON escapes line ends, so the data is one line.
    static func write(_ event: LiveEventAnswer, to buffer: inout ByteBuffer) {
        buffer.writeString("id: \(event.fact.position)\nevent: \(event.name)\ndata: ")
        var json = JSONWriter()
        event.write(to: &json)
        buffer.writeBytes(json.bytes)
        buffer.writeString("\n\n")
    }
}

/// Writes one stream of events to its connection until the stream ends.
struct LiveWriting: Sendable {
    let resources: Resources
    let stream: LiveStream
    let account: AccountID

    /// If the connection is slow, only this task waits.
    ///
    /// - Throws: errors of a broken connection, and of reading the log.
    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(string: LiveMessage.opening(after: stream.startsAfter)))
        while true {
            switch try await stream.next() {
            case .events(let facts): try await writer.write(try buffer(facts))
            case .beat: try await writer.write(ByteBuffer(string: LiveMessage.beat))
            case .ended(let reason):
                if reason != .gone { try await writer.write(ByteBuffer(string: LiveMessage.ending(reason))) }
                return try await writer.finish(nil)
            }
        }
    }

    private func buffer(_ facts: [Fact]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        // The cards are read as of the position before these facts, and each fact is applied to its card: a stream has every event of its
        // account.
        let start = Position((facts.first?.position ?? 1) - 1)
        var cards = try resources.service.reading(through: start) { PageOfCards($0) }
        for fact in facts {
            LiveMessage.write(LiveEventAnswer(fact: fact, content: try content(of: fact, &cards)), to: &buffer)
        }
        return buffer
    }

    private func content(of fact: Fact, _ cards: inout PageOfCards<EventLog>) throws -> LiveEventAnswer.Content {
        if let notice = PostedNotice(of: fact) {
            // A reminder also changes its card.
            if let id = fact.event.card { _ = try cards.card(id, after: fact) }
            return .notice(try resources.noticeAnswer(notice))
        }
        guard fact.event.holder == account, let id = fact.event.card else { return .shop }
        guard let card = try cards.card(id, after: fact) else { throw Problem(.notFound) }
        return .card(try resources.service.opened(card))
    }
}
