import CoreMetrics
import EventLog

/// Measures what makes a batch durable: how long it takes, and for how many events.
struct MeasuredDurability: BatchDurability {
    private let measured: any BatchDurability
    private let duration: CoreMetrics.Timer
    private let events: Recorder

    init(_ measured: any BatchDurability, by factory: any MetricsFactory) {
        self.measured = measured
        duration = CoreMetrics.Timer(label: "greentea_commit_duration_seconds", factory: factory)
        events = Recorder(label: "greentea_commit_events", factory: factory)
    }

    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        let start = ContinuousClock.now
        try measured.makeDurable(batch, commitLocally: commitLocally)
        let took = (ContinuousClock.now - start).components
        duration.recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
        events.record(batch.count)
    }
}
