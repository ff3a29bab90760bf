import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import NIOCore
import ReadModels
import ServiceLifecycle

/// The route of the live stream.
struct LiveRoutes: RouteGroup {
    let resources: Resources

    static let path = "/v1/me/events"

    var routes: [Route] { [.get(Self.path, events)] }

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

    /// Browsers send a header; a parameter is for clients that cannot set headers.
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
    static func opening(after position: Position) -> String { "retry: \(Limits.liveRetryMilliseconds)\nid: \(position.rawValue)\n\n" }

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

struct LiveWriting: Sendable {
    let resources: Resources
    let stream: LiveStream
    let account: AccountID

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

/// The message about one event in a stream, with `kind`, `at`, `position` and the fields of its type (`event:`).
///
/// - `card`, for the holder: `kind` is opened, stamped, full, stampReversed, adjusted, redemptionRequested, redeemed, reversed, discarded,
///   expired, milestoneRequested, milestoneRedeemed or milestoneReversed. `added` may be negative; `card` is the card after the event,
///   without history; `redemption` is an id.
/// - `code`, for the shop's owner and staff: `kind` is issued, used, reversed or destroyed. `stamps` is the code's value for issued, the
///   stamps one card gained for used or lost for reversed, else 0.
/// - `redemption`, for the shop's owner and staff: `kind` is redeemed, reversed, milestoneRedeemed or milestoneReversed.
/// - `notice`, for receivers, the holder of the card of a reminder, or the account of an alert: `kind` is posted, and `notice` is as in
///   `GET /me/notices`.
///
/// A code's use gets one message for each card. Clients MUST ignore unknown names and kinds.
struct LiveEventAnswer: JSONRecord {
    let fact: Fact
    let content: Content

    enum Content {
        case card(Card)
        case shop
        case notice(NoticeAnswer)
    }

    var name: String {
        switch content {
        case .card: "card"
        case .notice: "notice"
        case .shop:
            switch fact.event {
            case .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed: "redemption"
            default: "code"
            }
        }
    }

    var fields: JSONFields {
        let head: JSONFields = ["kind": kind, "at": fact.time, "position": fact.position]
        return switch content {
        case .card(let card):
            head + ["added": added, "card": CardAnswer(card: card, withHistory: false), "redemption": IfPresent(fact.event.redemption)]
        case .notice(let notice): head + ["notice": notice]
        case .shop: head + act
        }
    }

    private var kind: String {
        switch (fact.event, content) {
        case (.cardOpened, _): "opened"
        case (.cardStamped, .card(let card)): card.status == .full ? "full" : "stamped"
        case (.cardStamped, _): "used"
        case (.redemptionRequested, _): "redemptionRequested"
        case (.cardRedeemed, _): "redeemed"
        case (.redemptionReversed, _): "reversed"
        case (.milestoneRequested, _): "milestoneRequested"
        case (.milestoneRedeemed, _): "milestoneRedeemed"
        case (.milestoneReversed, _): "milestoneReversed"
        case (.cardAdjusted, _): "adjusted"
        case (.stampReversed, .shop): "reversed"
        case (.stampReversed, _): "stampReversed"
        case (.cardDiscarded, _): "discarded"
        case (.cardExpired, _): "expired"
        case (.waitingCardTaken, _): "taken"
        case (.codeIssued, _): "issued"
        case (.codeDestroyed, _): "destroyed"
        case (.noticePosted, _), (.cardReminded, _), (.searchAlerted, _): "posted"
        default: "changed"
        }
    }

    private var added: Int {
        switch fact.event {
        case .cardStamped(let event): event.stamps
        case .cardAdjusted(let event): event.stamps
        case .stampReversed(let event): -event.stamps
        case .waitingCardTaken(let event): event.from == nil ? event.moved : event.stamps
        default: 0
        }
    }

    private var act: JSONFields {
        switch fact.event {
        case .codeIssued(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .codeDestroyed(let event): act(event.code, event.campaign, event.shop, stamps: 0)
        case .cardStamped(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .stampReversed(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed:
            [
                "redemption": fact.event.redemption, "card": fact.event.card, "campaign": fact.event.campaign, "shop": fact.event.shop,
                "by": fact.actor, "milestone": IfPresent(milestone),
            ]
        default: [:]
        }
    }

    private func act(_ code: CodeID, _ campaign: CampaignID, _ shop: ShopID, stamps: Int) -> JSONFields {
        ["code": code, "campaign": campaign, "shop": shop, "stamps": stamps]
    }

    private var milestone: Int? {
        switch fact.event {
        case .milestoneRedeemed(let event): event.milestone
        case .milestoneReversed(let event): event.milestone
        default: nil
        }
    }
}
