internal import Synchronization
public import Tracing

/// Creates spans, and queues recorded ones when they end. A trace that begins here is recorded with the probability `ratio`; another one as
/// its caller's header says, so only trusted callers' headers may be read. An unrecorded span costs one small object.
public final class OTLPTracer: Tracer {
    private let queue: SpanQueue
    /// A trace is recorded if the lower half of its id is less; nil records all.
    private let threshold: UInt64?
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - ratio: of the traces that begin here, from 0 to 1.
    ///   - random: unpredictable, except in tests.
    public init(queue: SpanQueue, ratio: Double, random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }) {
        (self.queue, self.random) = (queue, random)
        threshold = ratio >= 1 ? nil : UInt64(max(0, ratio) * 0x1p64)
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.trace
        context.trace = parent.map { TraceContext(trace: $0.trace, span: identifier(), isSampled: $0.isSampled) } ?? root()
        return OTLPSpan(operationName, kind, context, parent: parent?.span, start: instant().nanosecondsSinceEpoch, queue: queue)
    }

    /// Does nothing: spans wait for the exporter.
    public func forceFlush() {}

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    )
    where Extract.Carrier == Carrier {
        context.trace = extractor.extract(key: "traceparent", from: carrier).flatMap { TraceContext(header: $0) }
    }

    public func inject<Carrier, Inject: Injector>(_ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier {
        if let trace = context.trace { injector.inject(trace.header, forKey: "traceparent", into: &carrier) }
    }

    private func root() -> TraceContext {
        let low = identifier()
        return TraceContext(
            trace: UInt128(identifier()) << 64 | UInt128(low), span: identifier(), isSampled: threshold.map { low < $0 } ?? true)
    }

    /// Must not be zero.
    private func identifier() -> UInt64 { max(1, random()) }
}

/// A span of ``OTLPTracer``.
public final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var isError = false
        var hasEnded = false
    }

    public let context: InstrumentationContext
    private let kind: SpanKind
    private let parent: UInt64?
    private let start: UInt64
    /// Nil if the span is not recorded.
    private let queue: SpanQueue?
    private let state: Mutex<State>

    init(_ name: String, _ kind: SpanKind, _ context: InstrumentationContext, parent: UInt64?, start: UInt64, queue: SpanQueue) {
        (self.kind, self.context, self.parent, self.start) = (kind, context, parent, start)
        self.queue = context.trace?.isSampled == true ? queue : nil
        state = Mutex(State(name: name))
    }

    public var isRecording: Bool { queue != nil && state.withLock { !$0.hasEnded } }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { if queue != nil { state.withLock { $0.attributes = newValue } } }
    }

    public func setStatus(_ status: SpanStatus) { state.withLock { $0.isError = status.code == .error } }

    /// Events and links are not sent.
    public func addEvent(_ event: SpanEvent) {}

    public func addLink(_ link: SpanLink) {}

    /// The error's text may contain personal data, so it is not sent.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) { state.withLock { $0.isError = true } }

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let queue, let trace = context.trace else { return }
        let ended: State? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        queue.offer(
            FinishedSpan(
                context: trace, parent: parent, name: ended.name, kind: kind, startNanoseconds: start,
                endNanoseconds: max(start, instant().nanosecondsSinceEpoch), attributes: ended.attributes, isError: ended.isError))
    }
}
