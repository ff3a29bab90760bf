import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// Adds the header `GreenTea-Position` to answers to reads, unless the route has set it. The header has the position that the read models
/// had reached before the read began, so the answer shows at least the events up to there.
///
/// Answers about an account's own things have the exact position of their snapshot (`Response.showing(_:)`), because `GET /me/changes`
/// continues from there. Statistics and analytics have the position of their own models, which may be behind the other models. Answers to
/// other reads ignore the positions of these two.
///
/// No answer has a lower position than its request required, because the models of the answer have reached it. So a client that keeps the
/// position of its newest answer never goes back. The exception is a page of changes that is not the last page.
struct PositionMiddleware: RouterMiddleware {
    let service: GreenTea

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get, request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
        let shown = service.models.position(without: [Statistics.name, Journeys.name])
        let response = try await next(request, context)
        let isRead = response.status == .ok && response.headers[.contentType] == ContentTypes.json
        // A position that the route has set is kept: the position at which a page of changes ends may be far before the log's end.
        guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
        let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
        // If the route does not wait for the named position, the request may name a position that does not exist yet.
        let waited = min(named ?? 0, service.log.head.rawValue)
        return response.showing(Position(max(shown.rawValue, waited)))
    }
}
