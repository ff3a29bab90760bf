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
struct LiveRoutes {
    let resources: Resources

    var routes: [Route] { [.get("/v1/me/events", events)] }

    private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        let token = try await resources.gate.admitToken(request)
        let lastEvent = try Self.lastEvent(of: request)
        // The request needs no body. If it has one, the body is read before the stream opens: nothing reads it later, and Hummingbird then
        // waits for a reader as soon as a few parts have arrived, even after the stream has ended, so that the stream would never close.
        var request = request
        let unused = try await request.bytes(atMost: Limits.bodyBytesMax)
        request.body = RequestBody(buffer: ByteBuffer(bytes: unused))
        let stream = try resources.service.live.open(
            for: token.bearer.account, session: token.bearer.session, until: token.expiresAt, after: lastEvent)
        // A client may read its cards and notices once the stream is open. The answers must then contain the events before the stream's
        // first event, so the read models process them before the stream opens. If this takes too long, the stream opens all the same.
        if lastEvent == nil { try? await resources.awaitHead(in: CardProgress.name, Notices.name) }
        let writing = LiveWriting(resources: resources, stream: stream, account: token.bearer.account)
        // The last header keeps nginx from buffering the stream.
        let headers: HTTPFields = [.contentType: ContentTypes.events, .cacheControl: "no-store", Self.buffering: "no"]
        return Response(status: .ok, headers: headers, body: Self.body(writing, request))
    }

    /// Writes the stream. Writing ends when the client hangs up, when the service shuts down, or when the stream itself ends.
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

    /// The position of the last event that the reader has received. Browsers send it in a header when they reconnect; clients that cannot
    /// set a header send it as a parameter.
    private static func lastEvent(of request: Request) throws(Problem) -> Position? {
        let parameter = request.uri.queryParameters["lastEventId"].map(String.init)
        guard let text = request.headers[.lastEventID] ?? parameter else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else {
            throw .invalid("", .lastEventPosition)
        }
        return Position(number)
    }

    private static let buffering = HTTPField.Name("X-Accel-Buffering")!
}

/// One message of a stream of Server-Sent Events, in the format of the HTML standard.
///
/// The id is the event's position in the log, so a reader that resumes from it misses nothing and gets nothing twice.
enum LiveMessage {
    /// The first lines of a stream: the reconnection time, and the id to resume from if the stream breaks before the first event. Readers
    /// ignore such a message, because it has no data.
    static func opening(after position: Position) -> String {
        "retry: \(Limits.liveRetryMilliseconds)\nid: \(position.rawValue)\n\n"
    }

    /// A comment line that is sent at intervals, so that proxies do not close an idle stream.
    static let beat = ": beat\n\n"

    /// A comment line that tells people who read the raw stream why it ends.
    static func ending(_ reason: LiveEnding) -> String { ": end \(reason)\n\n" }

    /// An event. Its data is one line, because JSON escapes all line ends.
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

    /// Writes events until the stream ends. If the connection is slow, only this task waits for it.
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
        // The cards are read as of the position before the first of these facts, and each fact is then applied to its card. A card misses
        // no event between two facts, because a stream has every event of its account.
        let start = Position((facts.first?.position ?? 1) - 1)
        var cards = try resources.service.reading(through: start) { PageOfCards($0) }
        for fact in facts {
            LiveMessage.write(LiveEventAnswer(fact: fact, content: try content(of: fact, &cards)), to: &buffer)
        }
        return buffer
    }

    private func content(of fact: Fact, _ cards: inout PageOfCards<EventLog>) throws -> LiveEventAnswer.Content {
        if let notice = PostedNotice(of: fact) {
            // A reminder is also an event of its card, so it is applied to the card's state.
            if let id = fact.event.card { _ = try cards.card(id, after: fact) }
            return .notice(try resources.noticeAnswer(notice))
        }
        guard fact.event.holder == account, let id = fact.event.card else { return .shop }
        guard let card = try cards.card(id, after: fact) else { throw Problem(.notFound) }
        return .card(try resources.service.opened(card))
    }
}
