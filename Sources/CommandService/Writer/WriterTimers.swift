package import CoreMetrics
package import EventLog

/// Measures how long commands wait for the writer, and how long their decisions take.
package struct DeciderTimers: Sendable {
    private let queue: CoreMetrics.Timer
    private let decide: CoreMetrics.Timer

    package init(_ factory: any MetricsFactory) {
        queue = CoreMetrics.Timer(label: "greentea_queue_duration_seconds", factory: factory)
        decide = CoreMetrics.Timer(label: "greentea_decide_duration_seconds", factory: factory)
    }

    func record(offered: ContinuousClock.Instant, start: ContinuousClock.Instant) {
        queue.recordNanoseconds((start - offered).wholeNanoseconds)
        decide.recordNanoseconds((ContinuousClock.now - start).wholeNanoseconds)
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        // Each read of the components divides 128 bits.
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// Measures how long it takes to make a batch durable, and its size.
package struct MeasuredDurability: BatchDurability {
    private let measured: any BatchDurability
    private let duration: CoreMetrics.Timer
    private let events: Recorder

    package init(_ measured: any BatchDurability, by factory: any MetricsFactory) {
        self.measured = measured
        duration = CoreMetrics.Timer(label: "greentea_commit_duration_seconds", factory: factory)
        events = Recorder(label: "greentea_commit_events", factory: factory)
    }

    package var isShared: Bool { measured.isShared }

    package func confirm() throws(EventLogError) { try measured.confirm() }

    package func giveUp(afterSeconds seconds: Double) { measured.giveUp(afterSeconds: seconds) }

    package func makeDurable(_ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void) throws(EventLogError) {
        let start = ContinuousClock.now
        try measured.makeDurable(batch, commitLocally: commitLocally)
        duration.recordNanoseconds((ContinuousClock.now - start).wholeNanoseconds)
        events.record(batch.count)
    }
}
