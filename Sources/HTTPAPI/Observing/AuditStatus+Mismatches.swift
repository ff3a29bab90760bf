import Audit

extension AuditStatus {
    /// Names of the models that are not what the log says.
    var mismatches: [String] { models.filter { $0.mismatch != nil }.map(\.name) }
}
