import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// Adds `GreenTea-Position` to answers to reads that do not name one: the position that the read models had reached before the read began,
/// so the answer shows at least that.
///
/// Reads of an account's own things name the exact position of their snapshot (`Response.showing(_:)`), because changes continue from it.
/// Statistics and analytics name the position of their own models, which may lag behind the others; other reads ignore these two models.
///
/// No answer names a lower position than its request did, because its own models have waited for that, while others may lag. So a client
/// that keeps the position of its newest answer never goes back. The exception is a page of changes that is not the last.
struct PositionMiddleware: RouterMiddleware {
    let service: GreenTea

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get, request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
        let shown = service.models.position(without: [Statistics.name, Journeys.name])
        let response = try await next(request, context)
        let isRead = response.status == .ok && response.headers[.contentType] == ContentTypes.json
        // A position set by the route stays: a page of changes has its own end, which may be far behind the log's head.
        guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
        let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
        // A route that does not wait may be asked for a position that does not exist yet.
        let waited = min(named ?? 0, service.log.head.rawValue)
        return response.showing(Position(max(shown.rawValue, waited)))
    }
}
