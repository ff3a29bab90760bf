import HTTPTypes
import Hummingbird
import Tracing

/// A request's span, without personal data. It joins the trace in `traceparent` only if the caller is trusted.
struct RequestSpan {
    private struct Headers: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { carrier[$0] }
        }
    }

    private let span: any Tracing.Span

    /// - Parameter believesCaller: an untrusted client could override the sampling ratio, or write into other people's traces.
    init(of request: Request, by tracer: any Tracer, believesCaller: Bool) {
        var context = InstrumentationContext.topLevel
        if believesCaller { tracer.extract(request.headers, into: &context, using: Headers()) }
        span = tracer.startSpan("request", context: context, ofKind: .server)
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = request.method.rawValue
    }

    /// An unrecorded span does not become the current one, so that the called code makes no spans either.
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

    /// - Parameter route: the template, never the path.
    func end(_ response: Response, route: String, id: String) {
        guard span.isRecording else { return }
        span.attributes["http.route"] = route
        span.attributes["http.response.status_code"] = Int64(response.status.code)
        span.attributes["greentea.request_id"] = id
        if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
