public import CoreMetrics
internal import Synchronization
internal import Tracing

struct FinishedSpan: Sendable, Equatable {
    let context: TraceContext
    /// Nil for a trace's root.
    let parent: UInt64?
    let name: String
    let kind: SpanKind
    let startNanoseconds: UInt64
    let endNanoseconds: UInt64
    let attributes: SpanAttributes
    let isError: Bool
}

/// The spans that wait to be sent, in limited number. Spans that do not fit are dropped and counted; no caller waits.
public final class SpanQueue: Sendable {
    private let limit: Int
    private let waiting = Mutex<[FinishedSpan]>([])
    private let full: Counter
    private let unsent: Counter
    private let sent: Counter

    public init(limit: Int = TraceLimits.waitingSpansMax, metrics: any MetricsFactory) {
        self.limit = limit
        let dropped = "greentea_trace_spans_dropped_total"
        full = Counter(label: dropped, dimensions: [("reason", "queueFull")], factory: metrics)
        unsent = Counter(label: dropped, dimensions: [("reason", "notSent")], factory: metrics)
        sent = Counter(label: "greentea_trace_spans_sent_total", factory: metrics)
    }

    public var count: Int { waiting.withLock { $0.count } }

    func offer(_ span: FinishedSpan) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < limit else { return false }
            waiting.append(span)
            return true
        }
        if !isTaken { full.increment() }
    }

    /// At most `count` spans, oldest first.
    func take(_ count: Int) -> [FinishedSpan] {
        waiting.withLock { waiting in
            let taken = Array(waiting.prefix(count))
            waiting.removeFirst(taken.count)
            return taken
        }
    }

    func noteSent(_ count: Int) { sent.increment(by: Int64(count)) }

    func noteUnsent(_ count: Int) { unsent.increment(by: Int64(count)) }
}

/// The limits of tracing.
public enum TraceLimits {
    /// A few seconds of a busy service, about 2 MB.
    public static let waitingSpansMax = 8_192
    /// Spans in one request.
    static let batchSpansMax = 512
    /// Between two reads of the queue.
    static let period = Duration.seconds(1)
    /// For one request and its answer.
    static let send = Duration.seconds(5)
    /// Shorter than ``send``, so that a failure to connect is not reported as a timeout.
    static let connectSeconds: Int64 = 3
    /// For all remaining spans when the service ends.
    static let last = Duration.seconds(5)
    static let answerBytesMax = 1 << 16
}
