import HTTPTypes
import Prometheus
import Testing
import Traces

@testable import HTTPAPI

@Suite("Requests' spans", .timeLimit(.minutes(15)))
struct RequestSpanTests {
    private static let parent = HTTPField.Name("traceparent")!

    @Test(
        "Only behind a trusted proxy does the caller decide whether a request is traced; otherwise the ratio decides",
        arguments: [(0, 0.0, "01", 0), (0, 1.0, "00", 1), (1, 0.0, "01", 1), (1, 1.0, "00", 0)])
    func caller(_ proxies: Int, _ ratio: Double, _ flags: String, _ spans: Int) async throws {
        let queue = SpanQueue(metrics: PrometheusRegistry())
        let tracer = OTLPTracer(queue: queue, ratio: ratio)
        try await onStage(try Stage(trustedProxies: proxies, configure: { $0.tracer = tracer })) { _, visitor in
            let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(flags)"
            _ = try await visitor.get("/healthz", headers: [Self.parent: header])
            #expect(queue.count == spans)
        }
    }
}
