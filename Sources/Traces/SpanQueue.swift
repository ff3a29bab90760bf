public import CoreMetrics
internal import Synchronization
internal import Tracing

/// A span that has ended.
struct FinishedSpan: Sendable, Equatable {
    let context: TraceContext
    /// The span's parent; nil for the root of a trace.
    let parent: UInt64?
    let name: String
    let kind: SpanKind
    let startNanoseconds: UInt64
    let endNanoseconds: UInt64
    let attributes: SpanAttributes
    let isError: Bool
}

/// The spans that wait to be sent. Their number is limited: spans that do not fit are dropped and counted, and no caller ever waits.
public final class SpanQueue: Sendable {
    private let limit: Int
    private let waiting = Mutex<[FinishedSpan]>([])
    private let full: Counter
    private let unsent: Counter
    private let sent: Counter

    /// - Parameter limit: the maximum number of waiting spans.
    public init(limit: Int = TraceLimits.waitingSpansMax, metrics: any MetricsFactory) {
        self.limit = limit
        let dropped = "greentea_trace_spans_dropped_total"
        full = Counter(label: dropped, dimensions: [("reason", "queueFull")], factory: metrics)
        unsent = Counter(label: dropped, dimensions: [("reason", "notSent")], factory: metrics)
        sent = Counter(label: "greentea_trace_spans_sent_total", factory: metrics)
    }

    /// The number of waiting spans.
    public var count: Int { waiting.withLock { $0.count } }

    func offer(_ span: FinishedSpan) {
        let isTaken = waiting.withLock { waiting in
            guard waiting.count < limit else { return false }
            waiting.append(span)
            return true
        }
        if !isTaken { full.increment() }
    }

    /// Removes and returns at most `count` spans, oldest first.
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
    /// The maximum number of spans that wait to be sent: those of a few seconds in a busy service, about 2 MB.
    public static let waitingSpansMax = 8_192
    /// The maximum number of spans in one request to the collector.
    static let batchSpansMax = 512
    /// The time between two reads of the queue.
    static let period = Duration.seconds(1)
    /// The maximum time of one request to the collector, including the answer.
    static let send = Duration.seconds(5)
    /// The time limit for connecting, in seconds. It is shorter than ``send``, so that a failure to connect is reported as such and not as
    /// a timeout.
    static let connectSeconds: Int64 = 3
    /// The time limit for sending all remaining spans when the service ends.
    static let last = Duration.seconds(5)
    /// The maximum number of bytes of a collector's answer that are read.
    static let answerBytesMax = 1 << 16
}
