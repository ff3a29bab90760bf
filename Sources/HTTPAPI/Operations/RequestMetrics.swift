import CoreMetrics
import HTTPTypes
import Hummingbird
import LMDB
import Logging
import Prometheus
import ServiceLog
import Synchronization
import Tracing

/// Counts and times requests by method, route and status, and refusals by code. Any task may call.
final class RequestMetrics: Sendable {
    private struct Kind: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private struct Meters {
        let timer: CoreMetrics.Timer
        let rows: Counter
    }

    /// Methods with a label of their own. All others share one, because clients can invent any.
    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private let registry: PrometheusRegistry
    /// Kept, because making them takes longer than a request should.
    private let meters = Mutex<[Kind: Meters]>([:])
    private let problems: [ProblemCode: Counter]

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        problems = Dictionary(
            uniqueKeysWithValues: ProblemCode.allCases.map { code in
                (code, Counter(label: "greentea_problems_total", dimensions: [("code", code.rawValue)], factory: registry))
            })
    }

    /// - Parameter route: the template, never the path: `/v1/cards/{id}`.
    func count(_ method: HTTPRequest.Method, _ route: String, _ status: Int, took duration: Duration, rows: Int = 0) {
        let meters = meters(method, route, status)
        meters.timer.recordNanoseconds(duration.nanoseconds)
        if rows > 0 { meters.rows.increment(by: rows) }
    }

    /// Counts rows that a request looked at after its answer had begun.
    func count(furtherRows rows: Int, _ method: HTTPRequest.Method, _ route: String, _ status: Int) {
        if rows > 0 { meters(method, route, status).rows.increment(by: rows) }
    }

    func count(_ problem: ProblemCode) { problems[problem]?.increment() }

    private func meters(_ method: HTTPRequest.Method, _ route: String, _ status: Int) -> Meters {
        let kind = Kind(method: Self.methods.contains(method) ? method.rawValue : "other", route: route, status: status)
        if let known = meters.withLock({ $0[kind] }) { return known }
        let labels = [("method", kind.method), ("route", kind.route), ("status", "\(kind.status)")]
        let made = Meters(
            timer: CoreMetrics.Timer(label: "greentea_http_request_duration_seconds", dimensions: labels, factory: registry),
            rows: Counter(label: "greentea_http_rows_read_total", dimensions: labels, factory: registry))
        meters.withLock { $0[kind] = made }
        return made
    }
}

extension Duration {
    var nanoseconds: Int64 {
        // Each read of the components divides 128 bits.
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// A request's id in the answer and the log, maybe chosen by the client or a proxy.
enum RequestName {
    static let metadataKey = "hb.request.id"
    /// Longer ones are ignored.
    private static let charactersMax = 128

    /// Letters, digits and `-_.:+/=@`, which are harmless in a log or a header.
    static func given(by request: Request) -> String? {
        guard let text = request.headers.text(of: .requestID), (1...charactersMax).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy(isAllowed) ? text : nil
    }

    /// Hummingbird's id, or a new one.
    static func made(with logger: Logger) -> String { logger[metadataKey: metadataKey]?.description ?? made() }

    static func made() -> String { RequestID().description }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_.:+/=@".utf8.contains(byte)
        }
    }
}

/// Gives a request its id and its meter of rows, records its outcome, and has long answers written in pieces.
struct ObservingMiddleware: RouterMiddleware {
    /// Hummingbird's name for a missing route.
    private static let notFound = "NotFound"

    let answers: AnswerRecord
    var tracer: (any Tracer)?
    /// Requests come through our own proxy, whose `traceparent` is trusted.
    var believesCallers = false

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let given = RequestName.given(by: request) {
            context.requestID = given
            context.logger[metadataKey: RequestName.metadataKey] = .string(given)
        }
        let (start, meter) = (ContinuousClock.now, ReadMeter())
        guard let tracer else {
            let response = try await ReadMeter.$current.withValue(meter) { [context] in try await next(request, context) }
            return note(response, to: request, context, since: start, meter)
        }
        let span = RequestSpan(of: request, by: tracer, believesCaller: believesCallers)
        let response = try await span.around { [context] in
            try await ReadMeter.$current.withValue(meter) { try await next(request, context) }
        }
        span.end(response, route: Self.route(context), id: context.requestID)
        return note(response, to: request, context, since: start, meter)
    }

    private static func route(_ context: APIContext) -> String {
        let path = context.endpointPath ?? notFound
        return path == notFound ? AnswerRecord.unmatched : path
    }

    private func note(
        _ response: Response, to request: Request, _ context: APIContext, since start: ContinuousClock.Instant, _ meter: ReadMeter
    ) -> Response {
        var response = response
        let (method, route, status, rows) = (request.method, Self.route(context), response.status, meter.rows)
        response.headers[.requestID] = context.requestID
        answers.note(method, route, status, took: ContinuousClock.now - start, rows: rows, context.logger)
        if response.body.contentLength == nil {
            // A body of unknown length, such as an export, reads the log while it is sent.
            let (whole, metrics) = (response.body, answers.metrics)
            response.body = ResponseBody { writer in
                defer { metrics.count(furtherRows: meter.rows - rows, method, route, status.code) }
                let writer = writer
                try await ReadMeter.$current.withValue(meter) { try await whole.write(writer) }
            }
        }
        return response.inPieces(on: context.channel.eventLoop)
    }
}

/// Counts every answer and, if configured, logs it, with the route's template, because the path contains ids of persons.
struct AnswerRecord: Sendable {
    /// For requests without a route, because clients can invent any path.
    static let unmatched = "unmatched"
    /// For requests that ``ConnectionGuard`` refused.
    static let unread = "unread"

    let metrics: RequestMetrics
    /// Failures of the service are always logged elsewhere.
    let logsAccess: Bool

    /// - Parameter route: the template, never the path: `/v1/cards/{id}`.
    func note(
        _ method: HTTPRequest.Method, _ route: String, _ status: HTTPResponse.Status, took duration: Duration, rows: Int = 0,
        _ logger: Logger
    ) {
        metrics.count(method, route, status.code, took: duration, rows: rows)
        guard logsAccess else { return }
        logger.report(
            .requestAnswered, at: .info, "request",
            [
                "method": "\(method.rawValue)", "route": "\(route)", "status": "\(status.code)",
                "microseconds": "\(duration.nanoseconds / 1_000)",
            ])
    }

    func note(_ problem: ProblemCode) { metrics.count(problem) }
}
