import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// Adds the header `GreenTea-Position` to answers to reads, unless the route has set it. The header has the position that the read models
/// had reached before the read began, or the position that the request named, if that is higher. The answer shows at least the events up to
/// that position.
///
/// Answers about an account's own things have the exact position of their snapshot (`Response.showing(_:)`), because `GET /me/changes`
/// continues from that position. Answers about statistics and analytics have the position of their own models, which may be behind the
/// other models. The header of all other answers ignores the positions of these two models.
///
/// No answer has a lower position than its request required, because the models from which the answer was made have reached the required
/// position. So a client that requires the position of its newest answer never sees an earlier state. The exception is a page of changes
/// that is not the last page.
struct PositionMiddleware: RouterMiddleware {
    let service: GreenTea

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get, request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
        let shown = service.models.position(without: [Statistics.name, Journeys.name])
        let response = try await next(request, context)
        let isRead = response.status == .ok && response.headers[.contentType] == ContentTypes.json
        // A position that the route has set is kept, because it may be lower: a page of changes may end far before the log's end.
        guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
        let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
        // A route that does not wait also accepts a named position that does not exist yet. So the header never names a position after the
        // log's end.
        let waited = min(named ?? 0, service.log.head.rawValue)
        return response.showing(Position(max(shown.rawValue, waited)))
    }
}
