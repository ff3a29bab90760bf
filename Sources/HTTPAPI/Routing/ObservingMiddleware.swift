import HTTPTypes
import Hummingbird
import Logging

/// The outermost middleware: gives the request its name, and says afterwards what became of it.
struct ObservingMiddleware: RouterMiddleware {
    /// What Hummingbird calls the route of a request that no route takes.
    private static let notFound = "NotFound"

    let answers: AnswerRecord

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
        let path = context.endpointPath ?? Self.notFound
        let route = path == Self.notFound ? AnswerRecord.unmatched : path
        answers.note(request.method, route, response.status, took: ContinuousClock.now - start, context.logger)
        return response
    }
}

/// Counts every answer and, where that is asked for, logs it.
///
/// Neither the metrics nor the access log know who asked for what: a route's template and a status say nothing about anybody.
struct AnswerRecord: Sendable {
    /// What requests that no route takes are counted under: their paths are anybody's to invent.
    static let unmatched = "unmatched"
    /// What requests are counted under that were refused before their route was looked for.
    static let unread = "unread"

    let metrics: RequestMetrics
    /// Whether each request is a line of the log, and not only what went wrong.
    let logsAccess: Bool

    /// - Parameter route: the template, never the path: `/v1/cards/{id}`.
    func note(
        _ method: HTTPRequest.Method, _ route: String, _ status: HTTPResponse.Status, took duration: Duration, _ logger: Logger
    ) {
        metrics.count(method, route, status.code, took: duration)
        guard logsAccess else { return }
        logger.info(
            "request",
            metadata: [
                "method": "\(method.rawValue)", "route": "\(route)", "status": "\(status.code)",
                "microseconds": "\(duration.nanoseconds / 1_000)",
            ])
    }

    /// Counts a refusal.
    func note(_ problem: ProblemCode) { metrics.count(problem) }
}
