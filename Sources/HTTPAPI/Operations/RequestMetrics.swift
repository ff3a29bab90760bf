import CoreMetrics
import HTTPTypes
import Hummingbird
import Logging
import Prometheus
import ServiceLog
import Synchronization
import Tracing

/// Counts and times requests by method, route and status, and counts refusals by their code. Any task may call the methods.
final class RequestMetrics: Sendable {
    private struct Kind: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    /// The methods that have a label of their own. Clients can invent further methods, so all others are counted under one label.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let registry: PrometheusRegistry
    /// The timers made so far. They are kept, because making a timer takes longer than a request should.
    private let timers = Mutex<[Kind: CoreMetrics.Timer]>([:])
    private let problems: [ProblemCode: Counter]

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        problems = Dictionary(
            uniqueKeysWithValues: ProblemCode.allCases.map { code in
                (code, Counter(label: "greentea_problems_total", dimensions: [("code", code.rawValue)], factory: registry))
            })
    }

    /// - Parameter route: the template of the route, never the path: `/v1/cards/{id}`.
    func count(_ method: HTTPRequest.Method, _ route: String, _ status: Int, took duration: Duration) {
        let kind = Kind(method: Self.methods.contains(method) ? method.rawValue : "other", route: route, status: status)
        let timer = timers.withLock { $0[kind] } ?? make(kind)
        timer.recordNanoseconds(duration.nanoseconds)
    }

    /// Counts a refusal.
    func count(_ problem: ProblemCode) { problems[problem]?.increment() }

    private func make(_ kind: Kind) -> CoreMetrics.Timer {
        let labels = [("method", kind.method), ("route", kind.route), ("status", "\(kind.status)")]
        let timer = CoreMetrics.Timer(label: "greentea_http_request_duration_seconds", dimensions: labels, factory: registry)
        timers.withLock { $0[kind] = timer }
        return timer
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// The id of a request. It is in the answer and in the service's log. The client, or a proxy before this service, may have chosen it.
enum RequestName {
    /// The key of the id in the metadata of Hummingbird's logger.
    static let metadataKey = "hb.request.id"
    /// The maximum length of a client's id; longer ones are ignored.
    private static let charactersMax = 128

    /// The client's own id, if it is valid: letters, digits and `-_.:+/=@`, which are harmless in a log or a header.
    static func given(by request: Request) -> String? {
        guard let text = request.headers.text(of: .requestID), (1...charactersMax).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy(isAllowed) ? text : nil
    }

    /// The id that Hummingbird gave the request; a new one if its logger has none.
    static func made(with logger: Logger) -> String {
        logger[metadataKey: metadataKey]?.description ?? made()
    }

    /// A new id.
    static func made() -> String { RequestID().description }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_.:+/=@".utf8.contains(byte)
        }
    }
}

/// Gives the request its id, and records its outcome. It is around all other middleware except ``PieceMiddleware``.
struct ObservingMiddleware: RouterMiddleware {
    /// The name that Hummingbird gives to the route of a request that matches no route.
    private static let notFound = "NotFound"

    let answers: AnswerRecord
    /// The tracer; nil if requests are not traced.
    var tracer: (any Tracer)?
    /// Whether requests come through our own proxy, whose `traceparent` is trusted.
    var believesCallers = false

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let given = RequestName.given(by: request) {
            context.requestID = given
            context.logger[metadataKey: RequestName.metadataKey] = .string(given)
        }
        let start = ContinuousClock.now
        guard let tracer else { return note(try await next(request, context), to: request, context, since: start) }
        let span = RequestSpan(of: request, by: tracer, believesCaller: believesCallers)
        let response = try await span.around { try await next(request, context) }
        span.end(response, route: Self.route(context), id: context.requestID)
        return note(response, to: request, context, since: start)
    }

    private static func route(_ context: APIContext) -> String {
        let path = context.endpointPath ?? notFound
        return path == notFound ? AnswerRecord.unmatched : path
    }

    private func note(
        _ response: Response, to request: Request, _ context: APIContext, since start: ContinuousClock.Instant
    ) -> Response {
        var response = response
        response.headers[.requestID] = context.requestID
        answers.note(request.method, Self.route(context), response.status, took: ContinuousClock.now - start, context.logger)
        return response
    }
}

/// Counts every answer and, if configured, logs it.
///
/// Neither the metrics nor the access log identify a person: instead of the path, which contains ids, they have the template of the route.
struct AnswerRecord: Sendable {
    /// The route's label for requests that match no route, because clients can invent any path.
    static let unmatched = "unmatched"
    /// The route's label for requests that ``ConnectionGuard`` refused.
    static let unread = "unread"

    let metrics: RequestMetrics
    /// Whether every answer is logged. Failures of the service are always logged elsewhere.
    let logsAccess: Bool

    /// - Parameter route: the template of the route, never the path: `/v1/cards/{id}`.
    func note(
        _ method: HTTPRequest.Method, _ route: String, _ status: HTTPResponse.Status, took duration: Duration, _ logger: Logger
    ) {
        metrics.count(method, route, status.code, took: duration)
        guard logsAccess else { return }
        logger.report(
            .requestAnswered, at: .info, "request",
            [
                "method": "\(method.rawValue)", "route": "\(route)", "status": "\(status.code)",
                "microseconds": "\(duration.nanoseconds / 1_000)",
            ])
    }

    /// Counts a refusal.
    func note(_ problem: ProblemCode) { metrics.count(problem) }
}
