import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import ReadModels

/// Adds `GreenTea-Position` to answers to reads that do not name one: the position that the read models had reached before the read began,
/// so the answer shows at least that.
///
/// Reads of an account's own things name the very position of the snapshot that they show (`Response.showing(_:)`), because changes are
/// continued from it. Statistics and analytics name the lowest of all models; for other reads, these two models may lag behind.
struct PositionMiddleware: RouterMiddleware {
    let service: GreenTea

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get, request.uri.path.hasPrefix("/v1/") else { return try await next(request, context) }
        let shown = service.models.position(without: [Statistics.name, Journeys.name])
        let response = try await next(request, context)
        let isRead = response.status == .ok && response.headers[.contentType] == ContentTypes.json
        guard isRead, response.headers[.greenTeaPosition] == nil else { return response }
        return response.showing(shown)
    }
}
