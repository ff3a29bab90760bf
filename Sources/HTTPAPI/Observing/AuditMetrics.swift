import Audit
import CoreMetrics
import EventLog
import Prometheus
import Synchronization

/// What the auditor has found, looked at when somebody asks. Any task may ask.
final class AuditMetrics: Sendable {
    private let registry: PrometheusRegistry
    /// Runs that the counter has been told of.
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
