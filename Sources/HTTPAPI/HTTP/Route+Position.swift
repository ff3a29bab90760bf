import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

extension Route {
    /// Adds `GreenTea-Position` to answers to reads, also to `HEAD` and as 304, unless the route has set it: the position that the read
    /// models had reached before the read, or the named one if higher. The answer shows at least the events up to it.
    ///
    /// A snapshot for `GET /me/changes` has its exact position (`Response.showing(_:)`). Statistics and analytics have those of their own
    /// models, which other answers ignore. No answer but a page of changes has a lower position than its request required, so a client
    /// never sees an earlier state.
    func showingPosition(of service: GreenTea) -> Route {
        guard method == .get else { return self }
        return .get(path) { request, context in
            guard request.uri.path.hasPrefix("/v1/") else { return try await handler(request, context) }
            let shown = service.models.shownPosition
            let response = try await handler(request, context)
            // A 304 renews the headers of the answer that the client has (RFC 9111, 4.3.4), also the position as of which it holds. Of
            // other answers, only pictures are known by a tag.
            let isRead =
                response.status == .ok
                ? response.headers[.contentType] == ContentTypes.json
                : response.status == .notModified && !request.uri.path.hasPrefix(ImageRoutes.path)
            // The route's own position is kept, because it may be lower: a page of changes may end far before the log's end.
            guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
            let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
            // A route that does not wait accepts a position that does not exist yet, which the header must not name.
            let waited = min(named ?? 0, service.log.head.rawValue)
            return response.showing(Position(max(shown.rawValue, waited)))
        }
    }
}
