import CoreMetrics
import Prometheus
import Synchronization
import Testing
import Tracing

@testable import Traces

/// Tests the exporter with a collector on this machine.
@Suite(.timeLimit(.minutes(5))) struct ExporterTests {
    /// Counts how often the exporter reads its queue.
    private final class Looks: Sendable {
        private let count = Mutex(0)

        /// Counts one more read.
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static func offer(_ count: Int, to queue: SpanQueue) {
        let tracer = OTLPTracer(queue: queue, ratio: 1)
        for _ in 0..<count { tracer.startSpan("span", context: .topLevel).end() }
    }

    private static func untilCancelled() async {
        let (never, kept) = AsyncStream.makeStream(of: Bool.self)
        for await _ in never {}
        kept.finish()
    }

    @Test("Full batches are sent at once, and a few spans wait; at the end the waiting spans are sent, and no later ones")
    func endsUnderLoad() async throws {
        let queue = SpanQueue(metrics: PrometheusRegistry())
        Self.offer(1_100, to: queue)
        // A busy service: a new span is recorded during each request to the collector.
        let collector = Collector { _ in
            Self.offer(1, to: queue)
            return .taken
        }
        let looks = Looks()
        try await collector.whileListening { url in
            let exporter = OTLPExporter(
                url: url, queue: queue, version: "1",
                pause: { time in
                    guard time == TraceLimits.period else { return await Self.untilCancelled() }
                    if looks.next() > 1 { throw CancellationError() }
                })
            await exporter.run()
        }
        #expect(collector.posts == [512, 512, 78])
        #expect(queue.count == 1)
    }

    @Test("If an answer stalls after its head, its batch is dropped and the failure reported; the next batch is sent")
    func stalledAnswer() async throws {
        let registry = PrometheusRegistry()
        let queue = SpanQueue(metrics: registry)
        let (stalls, stalled) = AsyncStream.makeStream(of: Bool.self)
        let (news, told) = AsyncStream.makeStream(of: OTLPExporter.News.self)
        let collector = Collector(hasStalled: { stalled.yield(true) }, answer: { $0 == 1 ? .stalled : .taken })
        let looks = Looks()
        try await collector.whileListening { url in
            let exporter = OTLPExporter(
                url: url, queue: queue, version: "1", tell: { told.yield($0) },
                pause: { time in
                    guard time == TraceLimits.period else {
                        // This pause is the timeout of a batch. It ends once the collector has stalled, so a batch times out then and never
                        // earlier.
                        for await _ in stalls { return }
                        return
                    }
                    guard looks.next() <= 2 else { throw CancellationError() }
                    Self.offer(1, to: queue)
                })
            await exporter.run()
        }
        told.finish()
        var all: [OTLPExporter.News] = []
        for await one in news { all.append(one) }
        #expect(all == [.failing("timeout"), .resumed])
        #expect(collector.posts == [1, 1] && queue.count == 0)
        #expect(registry.text.contains(#"greentea_trace_spans_dropped_total{reason="notSent"} 1"#), "\(registry.text)")
        #expect(registry.text.contains("greentea_trace_spans_sent_total 1"), "\(registry.text)")
    }
}
