import Audit
import CommandService
import Composition
import CoreMetrics
import EventLog
import Images
import Projections
import Prometheus
import ReadModels
import Synchronization

/// The metrics set at each scrape, such as usage, positions and counts.
struct ServiceMetrics: Sendable {
    private let service: GreenTea
    private let registry: PrometheusRegistry
    private let audits: AuditMetrics
    private let pictures: PictureMetrics
    private let signIns: SignInMetrics
    private let system: SystemMetrics
    private let connectionsMax: Int
    let probe: SystemProbe

    init(_ service: GreenTea, _ registry: PrometheusRegistry, _ configuration: API.Configuration) {
        probe = SystemProbe(service, configuration.operations)
        (system, connectionsMax) = (SystemMetrics(probe, configuration.operations, registry), configuration.connections.total)
        (self.service, self.registry) = (service, registry)
        (audits, pictures, signIns) = (AuditMetrics(registry), PictureMetrics(registry), SignInMetrics(registry))
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func text(_ readiness: ReadinessAnswer, _ audit: AuditStatus? = nil) -> String {
        set("greentea_ready", readiness.isReady ? 1 : 0)
        set("greentea_writing", readiness.isWriting ? 1 : 0)
        set("greentea_log_position", Double(readiness.head.rawValue))
        set("greentea_waiting_commands", Double(readiness.waitingCommands))
        set("greentea_live_streams", Double(service.live.count))
        set("greentea_log_snapshot_lag_commits", Double(service.log.heldSnapshots.first?.commitsBehind ?? 0))
        set("greentea_log_dead_readers_cleared", Double(service.log.deadReadersCleared))
        for file in DamagedFile.Name.allCases {
            set("greentea_file_damaged", readiness.damage.contains { $0.name == file } ? 1 : 0, [("file", file.rawValue)])
        }
        for model in readiness.models {
            set("greentea_model_position", Double(model.position.rawValue), of: model)
            set("greentea_model_lag_events", Double(model.lag), of: model)
            set("greentea_model_stopped", model.failure == nil ? 0 : 1, of: model)
            set("greentea_model_renewal_failed", model.renewalFailure == nil ? 0 : 1, of: model)
            set("greentea_model_removed", model.loss == nil ? 0 : 1, of: model)
            registry.count("greentea_model_remade_total", [("model", model.name)], upTo: Double(model.remade))
        }
        for map in readiness.maps {
            set("greentea_map_used_bytes", Double(map.usedBytes), [("map", map.name)])
            set("greentea_map_limit_bytes", Double(map.limitBytes), [("map", map.name)])
        }
        if let index = service.log.indexStatus { set(index) }
        system.set(readiness.system, connectionsMax: connectionsMax)
        system.set(service.checkpoints)
        system.setLag(readiness.models, head: readiness.head)
        pictures.set(service.images.activity)
        set("greentea_pictures_missing", Double(service.pictures.missingCount))
        signIns.set(service.passwordActivity, isBreakerOpen: service.verifications.isBreakerOpen)
        if let audit { audits.set(audit) }
        return registry.text
    }

    private func set(_ index: IndexStatus) {
        set("greentea_index_position", Double(index.covered.rawValue))
        set("greentea_index_bytes", Double(index.bytes))
        set("greentea_index_runs", Double(index.runs))
        set("greentea_index_memory_events", Double(index.memoryEvents))
        set("greentea_index_scanned_events", Double(index.scannedEvents))
        set("greentea_index_damaged_runs", Double(index.damagedRuns))
        set("greentea_index_failing", index.failure == nil ? 0 : 1)
    }

    private func set(_ name: String, _ value: Double, of model: ModelStatus) { set(name, value, [("model", model.name)]) }

    private func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: name, dimensions: dimensions, factory: registry).set(value)
    }

    private static let helps = [
        ("greentea_ready", "1 where requests should come here, as /readyz says."),
        ("greentea_writing", "0 once the writer has stopped for good."),
        ("greentea_log_position", "Position of the newest event."),
        ("greentea_file_damaged", "1 once a page or a row of the file was found damaged, until the next start; the log says which."),
        ("greentea_waiting_commands", "Commands that wait for the writer."),
        ("greentea_pictures_missing", "Pictures that a shop, a campaign or a profile shows and whose files are gone or damaged."),
        ("greentea_log_snapshot_lag_commits", "Commits since the oldest snapshot of the log that a process holds; the file grows by them."),
        ("greentea_log_dead_readers_cleared", "Snapshots of killed processes that were given back since the start."),
        ("greentea_live_streams", "Streams of GET /v1/me/events that are open."),
        ("greentea_model_position", "Position of the newest event that readers of the model see."),
        ("greentea_model_lag_events", "Events of the log that the model has not looked at yet."),
        ("greentea_model_stopped", "1 once the model has stopped for good; the log says why."),
        (
            "greentea_model_renewal_failed",
            "1 where the model is served in an older version since one of this program's could not be built; /readyz says why."
        ),
        ("greentea_model_remade_total", "Times that the model's files were removed or damaged and made again."),
        ("greentea_model_removed", "1 while the model's files, which were removed or damaged, are made again from the log."),
        ("greentea_map_used_bytes", "Bytes of a storage file up to its last used page, by what it holds."),
        ("greentea_map_limit_bytes", "Bytes that a storage file may grow to; beyond, nothing more can be stored in it."),
        ("greentea_index_position", "Position through which the tag index is on disk."),
        ("greentea_index_bytes", "Bytes of the tag index on disk."),
        ("greentea_index_runs", "Files that the tag index consists of."),
        ("greentea_index_memory_events", "Events whose tags are in memory only, to be stored."),
        ("greentea_index_scanned_events", "Newest events that are in no part of the tag index, for which look-ups scan the log."),
        ("greentea_index_damaged_runs", "Damaged files of the tag index, for which look-ups scan the log until they are made anew."),
        ("greentea_index_failing", "1 while the tag index cannot be stored or merged; the log says why, and it is tried again."),
        ("greentea_commit_duration_seconds", "What making one batch of events durable took."),
        ("greentea_commit_events", "Events of one batch."),
        ("greentea_trace_spans_sent_total", "Spans that the collector has taken."),
        (
            "greentea_trace_spans_dropped_total",
            "Spans that were not sent, by reason: the queue was full, or the collector did not take them."
        ),
        ("greentea_http_request_duration_seconds", "From a request's head to its answer's, by route template."),
        ("greentea_http_rows_read_total", "Rows of the log, the models and the keys that requests looked at, by route template."),
        ("greentea_problems_total", "Requests refused, by problem code."),
    ]
}

/// Metrics of the auditor, set at each scrape, also concurrently.
final class AuditMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// The runs that the counter already includes.
    private let counted = Mutex<UInt64>(0)

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        for (name, help) in Self.helps { registry.describe(name, help) }
    }

    func set(_ status: AuditStatus) {
        let new = counted.withLock { counted in
            defer { counted = max(counted, status.runs) }
            return status.runs > counted ? status.runs - counted : 0
        }
        Counter(label: "greentea_audit_runs_total", factory: registry).increment(by: Int64(clamping: new))
        if let seconds = status.lastSeconds { Meter(label: "greentea_audit_duration_seconds", factory: registry).set(seconds) }
        for model in status.models {
            set("greentea_audit_mismatches", model.mismatch == nil ? 0 : 1, of: model.name)
            set("greentea_audit_failures", model.failure == nil ? 0 : 1, of: model.name)
            if let position = model.position { set("greentea_audit_position", Double(position.rawValue), of: model.name) }
        }
    }

    private func set(_ name: String, _ value: Double, of model: String) {
        Meter(label: name, dimensions: [("model", model)], factory: registry).set(value)
    }

    private static let helps = [
        ("greentea_audit_runs_total", "Times that every read model was compared with the log."),
        ("greentea_audit_duration_seconds", "What the last of these runs took, its rests included."),
        ("greentea_audit_mismatches", "1 where the model was found not to be what the log says, until it is again."),
        ("greentea_audit_failures", "1 where the model could not be compared the last time; the log says why."),
        ("greentea_audit_position", "Position that the model had stored when it was last compared: behind while nothing concerns it."),
    ]
}

extension AuditStatus {
    var mismatches: [String] { models.filter { $0.mismatch != nil }.map(\.name) }
}
