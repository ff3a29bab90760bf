import CoreMetrics
import Patience
import Prometheus
import SwiftProtobuf
import Testing
import Tracing

@testable import Traces

/// Spans: their contexts, how they enter the queue, and their encoding.
@Suite(.timeLimit(.minutes(15))) struct TraceTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private struct Fields: Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    private func tracer(_ queue: SpanQueue, ratio: Double = 1, random: UInt64? = nil) -> OTLPTracer {
        guard let random else { return OTLPTracer(queue: queue, ratio: ratio) }
        return OTLPTracer(queue: queue, ratio: ratio) { random }
    }

    @Test("A traceparent is read and written as specified")
    func header() throws {
        let context = try #require(TraceContext(header: Self.parent))
        #expect(context.trace == 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c && context.span == 0xb7ad_6b71_6920_3331 && context.isSampled)
        #expect(context.header == Self.parent)
        #expect(TraceContext(header: Self.parent.dropLast() + "0")?.isSampled == false)
        #expect(TraceContext(header: "cc" + Self.parent.dropFirst(2) + "-what comes later")?.header == Self.parent)
    }

    @Test(
        "A header that is no valid traceparent is ignored",
        arguments: [
            "", "00", "ff" + parent.dropFirst(2), parent + "-more", parent.uppercased(),
            "00-" + String(repeating: "0", count: 32) + "-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319z-b7ad6b7169203331-01", "cc" + parent.dropFirst(2) + "x", "\u{1F375}" + parent,
        ])
    func notAHeader(_ text: String) { #expect(TraceContext(header: text) == nil) }

    @Test("A span belongs to its caller's trace, and its child spans belong to it")
    func parents() throws {
        let queue = SpanQueue(metrics: PrometheusRegistry())
        let tracer = tracer(queue, ratio: 0)
        var context = InstrumentationContext.topLevel
        tracer.extract(["traceparent": Self.parent], into: &context, using: Fields())
        let outer = tracer.startSpan("request", context: context, ofKind: .server)
        tracer.startSpan("decide", context: outer.context).end()
        outer.end()
        outer.end()
        let spans = queue.take(10)
        try #require(spans.map(\.name) == ["decide", "request"], "a span ends once")
        #expect(spans[1].parent == 0xb7ad_6b71_6920_3331 && spans[0].parent == spans[1].context.span)
        #expect(Set(spans.map(\.context.trace)).count == 1 && spans[0].context.span != spans[1].context.span)
    }

    @Test("The ratio decides whether a trace that begins here is recorded; otherwise the caller decides")
    func ratio() {
        let queue = SpanQueue(metrics: PrometheusRegistry())
        #expect(tracer(queue, ratio: 0.5, random: 1 << 62).startSpan("request", context: .topLevel).isRecording)
        #expect(!tracer(queue, ratio: 0.5, random: 3 << 62).startSpan("request", context: .topLevel).isRecording)
        #expect(!tracer(queue, ratio: 0, random: 1).startSpan("request", context: .topLevel).isRecording)
        var context = InstrumentationContext.topLevel
        tracer(queue).extract(["traceparent": Self.parent.dropLast() + "0"], into: &context, using: Fields())
        let unsampled = tracer(queue).startSpan("request", context: context)
        unsampled.end()
        #expect(!unsampled.isRecording && queue.count == 0)
    }

    @Test("A full queue drops spans and counts them")
    func bounded() {
        let registry = PrometheusRegistry()
        let queue = SpanQueue(limit: 3, metrics: registry)
        for number in 0..<8 { tracer(queue).startSpan("span \(number)", context: .topLevel).end() }
        #expect(queue.count == 3)
        #expect(registry.text.contains(#"greentea_trace_spans_dropped_total{reason="queueFull"} 5"#), "\(registry.text)")
        #expect(queue.take(2).map(\.name) == ["span 0", "span 1"] && queue.count == 1)
    }

    @Test("Spans are encoded as OpenTelemetry specifies")
    func encoding() throws {
        let context = try #require(TraceContext(header: Self.parent))
        let span = FinishedSpan(
            context: context, parent: 7, name: "request", kind: .server, startNanoseconds: 5, endNanoseconds: 9,
            attributes: ["http.route": .string("/v1/stamps"), "http.response.status_code": .int64(201)], isError: true)
        let request = try Greentea_Otlp_ExportTraceServiceRequest(serializedBytes: OTLPEncoding(version: "1").bytes([span]))
        let sent = request.resourceSpans[0].scopeSpans[0].spans[0]
        #expect(Array(sent.traceID).count == 16 && Array(sent.spanID) == [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31])
        #expect(Array(sent.parentSpanID) == [0, 0, 0, 0, 0, 0, 0, 7] && sent.kind == 2 && sent.status.code == 2)
        #expect(sent.startTimeUnixNano == 5 && sent.endTimeUnixNano == 9)
        #expect(sent.attributes.map(\.key) == ["http.response.status_code", "http.route"] && sent.attributes[0].value.intValue == 201)
        #expect(request.resourceSpans[0].resource.attributes.map(\.key) == ["service.name", "service.version"])
    }

    @Test("Spans for an unreachable collector are dropped, and the failure is reported once")
    func unreachable() async throws {
        let registry = PrometheusRegistry()
        let queue = SpanQueue(metrics: registry)
        for _ in 0..<3 { tracer(queue).startSpan("span", context: .topLevel).end() }
        let (news, told) = AsyncStream.makeStream(of: OTLPExporter.News.self)
        // No process listens on port 9 of this machine.
        let exporter = OTLPExporter(url: "http://127.0.0.1:9/v1/traces", queue: queue, version: "1") { told.yield($0) }
        let task = Task { await exporter.run() }
        var first: OTLPExporter.News?
        for await one in news {
            first = one
            break
        }
        task.cancel()
        try await task.valueInTime()
        guard case .failing = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(
            queue.count == 0 && registry.text.contains(#"greentea_trace_spans_dropped_total{reason="notSent"} 3"#), "\(registry.text)")
    }
}
