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
        set("greentea_leader_lag_events", Double(state.following?.lag ?? 0))
        set("greentea_leader_silent_seconds", state.following?.silentSeconds ?? 0)
        set(state.cluster)
        setKnown("greentea_tls_certificate_expiry_timestamp_seconds", state.certificateEnd)
        setUpkeep()
    }

    /// Zeros without a cluster, so that alerts find each metric.
    private func set(_ cluster: ClusterStatus?) {
        set("greentea_cluster_nodes", Double(cluster?.nodes.count ?? 0))
        set("greentea_cluster_writer", cluster?.isWriter == true ? 1 : 0)
        set("greentea_cluster_without_writer", cluster.map { $0.writer == nil } == true ? 1 : 0)
        set("greentea_cluster_term", Double(cluster?.term ?? 0))
        set("greentea_cluster_engine_silent_seconds", cluster?.silentSeconds ?? 0)
        set("greentea_cluster_hindered", cluster?.isHindered == true ? 1 : 0)
    }

    /// A metric is missing until the first success.
    private func setUpkeep() {
        let files: [(String, (DataFolder) -> String)] = [
            ("checkpoint", \.checkpoint), ("backup", \.backupNote), ("full_backup", \.fullBackupNote), ("key_backup", \.keyBackupNote),
            ("drill", \.drillNote),
        ]
        for (name, file) in files { if let written = probe.written(file) { set("greentea_\(name)_timestamp_seconds", written) } }
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

    private func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) { registry.set(name, value, dimensions) }
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
