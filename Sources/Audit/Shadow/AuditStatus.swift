/// What the shadow auditor has found since it started, for `/readyz`, metrics and tools.
public struct AuditStatus: Sendable, Hashable {
    /// Runs that went through every model.
    public internal(set) var runs: UInt64
    /// Wall-clock seconds of the last of them, rests included; nil before the first.
    public internal(set) var lastSeconds: Double?
    /// Each model that is audited.
    public internal(set) var models: [AuditedModel]

    package init(_ models: [AuditedModel], runs: UInt64 = 0, lastSeconds: Double? = nil) {
        (self.models, self.runs, self.lastSeconds) = (models, runs, lastSeconds)
    }
}
