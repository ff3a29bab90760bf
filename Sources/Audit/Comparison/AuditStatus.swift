public import EventLog

/// The shadow auditor's findings since the server started, for `/readyz`, metrics and tools.
public struct AuditStatus: Sendable, Hashable {
    /// Completed runs. Each tries to compare every model.
    public internal(set) var runs: UInt64
    /// The last run's duration in seconds, with pauses.
    public internal(set) var lastSeconds: Double?
    public internal(set) var models: [AuditedModel]

    package init(_ models: [AuditedModel], runs: UInt64 = 0, lastSeconds: Double? = nil) {
        (self.models, self.runs, self.lastSeconds) = (models, runs, lastSeconds)
    }
}

/// The shadow auditor's findings about one model.
public struct AuditedModel: Sendable, Hashable {
    public let name: String
    /// The model's position at the last successful comparison.
    public internal(set) var position: Position?
    /// The difference in the last successful comparison.
    public internal(set) var mismatch: ModelDifference?
    /// Nil also while the search for the cause runs, or if it failed.
    public internal(set) var diagnosis: Diagnosis?
    /// The reason why the last comparison or diagnosis failed.
    public internal(set) var failure: String?

    package init(name: String, position: Position? = nil, mismatch: ModelDifference? = nil, failure: String? = nil) {
        (self.name, self.position, self.mismatch, self.failure) = (name, position, mismatch, failure)
    }
}

/// An event for the operator's log.
public enum AuditNews: Sendable {
    /// A diagnosis or a failure follows, unless the same difference was diagnosed before or the auditor stops.
    case mismatch(ModelDifference)
    case diagnosis(Diagnosis)
    /// A model could not be compared or diagnosed.
    case failure(model: String, AuditError)
    /// A model that differed from the log is correct again.
    case mended(model: String)
    /// A run has tried to compare every model.
    case finished(AuditStatus)
}
