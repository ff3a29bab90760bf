import HTTPTypes
import Hummingbird
import Tracing

/// The span of a request. If the request names a trace (`traceparent`) and is trusted, the span is part of that trace; otherwise it is the
/// root of a new one.
///
/// The span contains the route's template, the method, the status and the request's id, none of which identifies a person.
struct RequestSpan {
    /// Reads the name of a trace from the headers of a request.
    private struct Headers: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { carrier[$0] }
        }
    }

    private let span: any Tracing.Span

    /// Starts the span of a request.
    ///
    /// - Parameter believesCaller: whether to continue the caller's trace. An untrusted client could use the header to override the
    ///   sampling ratio, or to write into other people's traces.
    init(of request: Request, by tracer: any Tracer, believesCaller: Bool) {
        var context = InstrumentationContext.topLevel
        if believesCaller { tracer.extract(request.headers, into: &context, using: Headers()) }
        span = tracer.startSpan("request", context: context, ofKind: .server)
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = request.method.rawValue
    }

    /// Runs the request's work in the span. If the span is not recorded, it does not become the current span, so that the code that `work`
    /// calls makes no spans either.
    func around(_ work: () async throws -> Response) async throws -> Response {
        guard span.isRecording else { return try await work() }
        do {
            return try await InstrumentationContext.withValue(span.context) { try await work() }
        } catch {
            span.setStatus(SpanStatus(code: .error))
            span.end()
            throw error
        }
    }

    /// Ends the span.
    ///
    /// - Parameter route: the template of the route, never the path.
    func end(_ response: Response, route: String, id: String) {
        guard span.isRecording else { return }
        span.attributes["http.route"] = route
        span.attributes["http.response.status_code"] = Int64(response.status.code)
        span.attributes["greentea.request_id"] = id
        if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
