import HTTPTypes
import Hummingbird
import Tracing

/// The span of a request: a part of the caller's trace if it names one (`traceparent`) and is believed, else the first of its own.
///
/// It knows the route's template, the method, the status and the request's id: nothing about anybody.
struct RequestSpan {
    /// Reads headers of a request.
    private struct Headers: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { carrier[$0] }
        }
    }

    private let span: any Tracing.Span

    /// - Parameter believesCaller: whether the caller's trace is followed. From anybody, the header would decide what is recorded in
    ///   place of the ratio, and write into the traces of others.
    init(of request: Request, by tracer: any Tracer, believesCaller: Bool) {
        var context = InstrumentationContext.topLevel
        if believesCaller { tracer.extract(request.headers, into: &context, using: Headers()) }
        span = tracer.startSpan("request", context: context, ofKind: .server)
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = request.method.rawValue
    }

    /// Runs the request's work in the span. One that is not recorded is not even current, so that nothing below makes spans.
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
