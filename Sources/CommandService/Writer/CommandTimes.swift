import Synchronization
package import Tracing

/// The moments at which a traced command passed the writer's stages.
package final class CommandTimes: Sendable {
    private struct Moments {
        var began: ContinuousClock.Instant?
        var decided: ContinuousClock.Instant?
        var durable: ContinuousClock.Instant?
    }

    private let offered = ContinuousClock.now
    private let moments = Mutex(Moments())

    package init() {}

    func noteDecision(since began: ContinuousClock.Instant) { moments.withLock { ($0.began, $0.decided) = (began, .now) } }

    /// Notes that the answer's events are on disk.
    package func noteDurable() { moments.withLock { $0.durable = .now } }

    /// Makes four spans: the wait, the decision, the commit, and the time until the sender has the answer.
    package func record(on tracer: any Tracer, _ context: InstrumentationContext) {
        let moments = moments.withLock { $0 }
        guard let began = moments.began, let decided = moments.decided, let durable = moments.durable else { return }
        let clock = SpanClock()
        let stages = [
            ("queue", offered, began), ("decide", began, decided), ("commit", decided, durable), ("settle", durable, clock.steady),
        ]
        for (name, start, end) in stages { tracer.startSpan(name, context: context, at: clock.moment(start)).end(at: clock.moment(end)) }
    }
}

private struct SpanClock {
    let steady = ContinuousClock.now
    private let wall = DefaultTracerClock.now.nanosecondsSinceEpoch

    func moment(_ instant: ContinuousClock.Instant) -> DefaultTracerClock.Timestamp {
        let ago = (steady - instant).components
        let nanoseconds = ago.seconds * 1_000_000_000 + ago.attoseconds / 1_000_000_000
        return .init(nanosecondsSinceEpoch: wall - UInt64(clamping: nanoseconds))
    }
}
