import HTTPTypes
import Hummingbird
import Logging

/// The outermost middleware: gives the request its name, and says afterwards what became of it.
///
/// Neither the metrics nor the access log know who asked for what: a route's template and a status say nothing about anybody.
struct ObservingMiddleware: RouterMiddleware {
    /// What requests that no route takes are counted under: their paths are anybody's to invent.
    private static let unmatched = "unmatched"
    /// What Hummingbird calls the route of a request that no route takes.
    private static let notFound = "NotFound"

    let metrics: RequestMetrics
    /// Whether each request is a line of the log, and not only what went wrong.
    let logsAccess: Bool

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let given = RequestName.given(by: request) {
            context.requestID = given
            context.logger[metadataKey: RequestName.metadataKey] = .string(given)
        }
        let start = ContinuousClock.now
        var response = try await next(request, context)
        response.headers[.requestID] = context.requestID
        note(request, response.status, took: ContinuousClock.now - start, context)
        return response
    }

    private func note(_ request: Request, _ status: HTTPResponse.Status, took duration: Duration, _ context: APIContext) {
        let path = context.endpointPath ?? Self.notFound
        let route = path == Self.notFound ? Self.unmatched : path
        metrics.count(request.method, route, status.code, took: duration)
        guard logsAccess else { return }
        context.logger.info(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(status.code)",
                "microseconds": "\(duration.nanoseconds / 1_000)",
            ])
    }
}
