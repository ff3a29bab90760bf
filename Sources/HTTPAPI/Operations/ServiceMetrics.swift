import Audit
import CommandService
import Composition
import CoreMetrics
import EventLog
import Images
import Projections
import Prometheus
import ReadModels

/// The metrics set at each scrape, such as usage, positions and counts.
struct ServiceMetrics: Sendable {
    private let service: GreenTea
    private let registry: PrometheusRegistry
    private let system: SystemMetrics
    private let connectionsMax: Int
    let probe: SystemProbe

    init(_ service: GreenTea, _ registry: PrometheusRegistry, _ configuration: API.Configuration) {
        probe = SystemProbe(service, configuration.operations)
        (system, connectionsMax) = (SystemMetrics(probe, configuration.operations, registry), configuration.connections.total)
        (self.service, self.registry) = (service, registry)
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
        registry.set(service.images.activity)
        set("greentea_pictures_missing", Double(service.pictures.missingCount))
        registry.set(service.passwordActivity, isBreakerOpen: service.verifications.isBreakerOpen)
        if let audit { registry.set(audit) }
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

    private func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) { registry.set(name, value, dimensions) }
}

extension PrometheusRegistry {
    func set(_ name: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: name, dimensions: dimensions, factory: self).set(value)
    }

    /// Work on pictures.
    func set(_ activity: PictureActivity) {
        set("greentea_picture_jobs", Double(activity.running), [("state", "running")])
        set("greentea_picture_jobs", Double(activity.waiting), [("state", "waiting")])
        count("greentea_picture_children_total", upTo: Double(activity.children))
        for limit in PictureActivity.Limit.allCases {
            count("greentea_picture_refusals_total", [("limit", limit.rawValue)], upTo: Double(activity.refused[limit] ?? 0))
        }
    }

    /// Limits on sign-in.
    func set(_ activity: PasswordActivity, isBreakerOpen: Bool) {
        set("greentea_sign_in_breaker_open", isBreakerOpen ? 1 : 0)
        set("greentea_password_jobs", Double(activity.running), [("state", "running")])
        set("greentea_password_jobs", Double(activity.waiting), [("state", "waiting")])
        count("greentea_password_hashes_total", upTo: Double(activity.computed))
        count("greentea_password_hashes_dropped_total", upTo: Double(activity.dropped))
    }

    func set(_ status: AuditStatus) {
        count("greentea_audit_runs_total", upTo: Double(status.runs))
        if let seconds = status.lastSeconds { set("greentea_audit_duration_seconds", seconds) }
        for model in status.models {
            let name = [("model", model.name)]
            set("greentea_audit_mismatches", model.mismatch == nil ? 0 : 1, name)
            set("greentea_audit_failures", model.failure == nil ? 0 : 1, name)
            if let position = model.position { set("greentea_audit_position", Double(position.rawValue), name) }
        }
    }
}

extension AuditStatus {
    var mismatches: [String] { models.filter { $0.mismatch != nil }.map(\.name) }
}
