import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// Adds `GreenTea-Position` to answers to reads that do not name one: the position that the read models had reached before the read began,
/// so the answer shows at least that.
///
/// Reads of an account's own things name the very position of the snapshot that they show (`Response.showing(_:)`), because changes are
/// continued from it. Statistics and analytics name that of their own models; for other reads, these two models may lag behind.
///
/// No answer names less than the request did, because its models have waited for that, while others may lag; a client that keeps the
/// position of its newest answer does not go back. A page of changes that is not the last is the one exception.
struct PositionMiddleware: RouterMiddleware {
    let service: GreenTea

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get, request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
        let shown = service.models.position(without: [Statistics.name, Journeys.name])
        let response = try await next(request, context)
        let isRead = response.status == .ok && response.headers[.contentType] == ContentTypes.json
        // An own position is left as it is: a page of changes ends where it says, however far the log has come.
        guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
        let named = request.headers.text(of: .greenTeaMinPosition).flatMap { UInt64($0) }
        // A route that does not wait may be asked for a position that there is not yet.
        let waited = min(named ?? 0, service.log.head.rawValue)
        return response.showing(Position(max(shown.rawValue, waited)))
    }
}
