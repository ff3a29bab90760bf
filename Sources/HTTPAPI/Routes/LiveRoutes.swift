import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// What happens, as it happens.
struct LiveRoutes {
    let resources: Resources

    var routes: [Route] { [.get("/v1/me/events", events)] }

    private func events(_ request: Request, _ context: APIContext) async throws -> Response {
        let token = try await resources.gate.admitToken(request)
        let stream = try resources.service.live.open(
            for: token.bearer.account, session: token.bearer.session, until: token.expiresAt, after: try Self.lastEvent(of: request))
        let writing = LiveWriting(resources: resources, stream: stream, account: token.bearer.account)
        // The last of these keeps nginx from collecting what is to go out at once.
        let headers: HTTPFields = [.contentType: ContentTypes.events, .cacheControl: "no-store", Self.buffering: "no"]
        return Response(status: .ok, headers: headers, body: Self.body(writing, request))
    }

    /// Ends when the client hangs up, when the service drains, and when the stream itself is over.
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

    /// Where the reader was: the header that browsers send when they come back, or the parameter, for clients that cannot set one.
    private static func lastEvent(of request: Request) throws(Problem) -> Position? {
        let parameter = request.uri.queryParameters["lastEventId"].map(String.init)
        guard let text = request.headers[.lastEventID] ?? parameter else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else {
            throw .invalid("", "the last event's id must be a position")
        }
        return Position(number)
    }

    private static let buffering = HTTPField.Name("X-Accel-Buffering")!
}
