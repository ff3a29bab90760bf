import CommandService
import Composition
import CoreMetrics
import EventLog
import LoyaltyCodec
import Merkle
import Projections
import Prometheus
import Synchronization

/// Metrics of the process, its surroundings and its upkeep, set at each scrape, also concurrently.
final class SystemMetrics: Sendable {
    private let registry: PrometheusRegistry
    private let probe: SystemProbe
    private let looks = Mutex(LagLooks())

    init(_ probe: SystemProbe, _ operations: API.Operations, _ registry: PrometheusRegistry) {
        (self.probe, self.registry) = (probe, registry)
        for (name, help) in Self.helps { registry.describe(name, help) }
        set("greentea_build_info", 1, [("version", operations.version ?? "unknown")])
    }

    func set(_ state: SystemState, connectionsMax: Int) {
        for (name, value) in ProcessFigures().values {
            if name.hasSuffix("_total") { registry.count(name, upTo: value) } else { set(name, value) }
        }
        setKnown("process_open_fds", state.openDescriptors)
        setKnown("process_max_fds", state.descriptorsMax)
        setKnown("greentea_connections_limit", connectionsMax)
        setKnown("greentea_disk_free_bytes", state.diskFreeBytes)
        setKnown("greentea_disk_size_bytes", state.diskBytes)
        set("greentea_clock_lead_seconds", state.clockLeadSeconds)
        set("greentea_clock_gain_seconds", state.clockGainSeconds)
        set("greentea_scheduler_silent_seconds", state.schedulerSilentSeconds)
        setKnown("greentea_tls_certificate_expiry_timestamp_seconds", state.certificateEnd)
        setUpkeep()
    }

    /// A metric is missing until the first success.
    private func setUpkeep() {
        if let written = probe.written({ $0.checkpoint }) { set("greentea_checkpoint_timestamp_seconds", written) }
        if let written = probe.written({ $0.backupNote }) { set("greentea_backup_timestamp_seconds", written) }
        if let written = probe.written({ $0.fullBackupNote }) { set("greentea_full_backup_timestamp_seconds", written) }
        if let written = probe.written({ $0.keyBackupNote }) { set("greentea_key_backup_timestamp_seconds", written) }
        if let written = probe.written({ $0.drillNote }) { set("greentea_drill_timestamp_seconds", written) }
    }

    func set(_ checkpoints: CheckpointKeeper) {
        set("greentea_checkpoint_position", Double(checkpoints.latest.checkpoint.size))
        set("greentea_checkpoint_failing", checkpoints.failure == nil ? 0 : 1)
    }

    /// How long each model has been behind the log.
    func setLag(_ models: [ModelStatus], head: Position) {
        let now = ContinuousClock.now
        let seconds = looks.withLock { looks in
            looks.add(head, at: now, lowest: models.map(\.position).min() ?? head)
            return models.map { looks.seconds(behindOf: $0.position, at: now) }
        }
        for (model, lag) in zip(models, seconds) { set("greentea_model_lag_seconds", lag, [("model", model.name)]) }
    }

    private func setKnown(_ name: String, _ value: (some BinaryInteger)?) {
        if let value { set(name, Double(value)) }
    }

    private func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: name, dimensions: dimensions, factory: registry).set(value)
    }

    private static let helps = [
        ("greentea_build_info", "1, labelled with the version of this program."),
        ("process_cpu_seconds_total", "Processor time that this process has taken."),
        ("process_threads", "Threads of this process."),
        ("process_start_time_seconds", "Start of this process, in seconds since 1970."),
        ("process_virtual_memory_bytes", "Address space of this process, of which maps take most."),
        ("process_resident_memory_bytes", "Memory of this process, its mapped pages included."),
        ("process_open_fds", "Descriptors that are open."),
        ("process_max_fds", "Descriptors that may be open."),
        ("greentea_connections_limit", "Connections that may be open at once."),
        ("greentea_disk_free_bytes", "Bytes of the data folder's disk that can still be filled."),
        ("greentea_disk_size_bytes", "Size of the data folder's disk."),
        ("greentea_scheduler_silent_seconds", "Seconds since the scheduler last looked for what is due."),
        ("greentea_clock_lead_seconds", "Seconds that the service's time is ahead of the machine's, since that was set back."),
        ("greentea_clock_gain_seconds", "Seconds that the machine's clock was set ahead since the start."),
        ("greentea_tls_certificate_expiry_timestamp_seconds", "End of the certificate, in seconds since 1970."),
        ("greentea_checkpoint_timestamp_seconds", "Time of the last signed checkpoint, in seconds since 1970."),
        ("greentea_checkpoint_position", "Events that the last signed checkpoint covers."),
        ("greentea_checkpoint_failing", "1 while no checkpoint can be stored; the log says why, and it is tried again."),
        ("greentea_backup_timestamp_seconds", "Time of the last good greentea-audit backup, in seconds since 1970."),
        ("greentea_full_backup_timestamp_seconds", "Time of the last good full greentea-audit backup, in seconds since 1970."),
        ("greentea_key_backup_timestamp_seconds", "Time of the last good greentea-audit backup --keys, in seconds since 1970."),
        (
            "greentea_drill_timestamp_seconds",
            "Time of the last good greentea-audit drill, in seconds since 1970, unless a backup was found damaged since."
        ),
        ("greentea_model_lag_seconds", "How long the model has not shown an event that the log has, to the distance of two scrapes."),
        ("greentea_queue_duration_seconds", "Time that a command waited for the writer before it was decided."),
        ("greentea_decide_duration_seconds", "Time that deciding one command took."),
        ("metrics_series_refused_total", "Series that were not kept, since their name has too many."),
    ]
}

/// Earlier positions of the log's head, which show for how long a model has been behind.
struct LagLooks {
    private var looks: [(head: Position, at: ContinuousClock.Instant)] = []
    /// An hour at one every 15 seconds. Then the second oldest is dropped, so the longest lag stays exact.
    private static let max = 240

    /// Ignores a head that has not moved or that every model has reached.
    ///
    /// - Parameter lowest: the position that every model has reached; older samples are dropped.
    mutating func add(_ head: Position, at now: ContinuousClock.Instant, lowest: Position) {
        looks.removeAll { $0.head <= lowest }
        if looks.last.map({ $0.head < head }) ?? true, head > lowest { looks.append((head, now)) }
        if looks.count > Self.max { looks.remove(at: 1) }
    }

    /// Seconds since the first sample beyond the model's position; 0 if there is none.
    func seconds(behindOf position: Position, at now: ContinuousClock.Instant) -> Double {
        looks.first { $0.head > position }.map { (now - $0.at) / .seconds(1) } ?? 0
    }
}
