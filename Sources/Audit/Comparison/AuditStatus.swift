public import EventLog

/// The shadow auditor's findings since the server started, for `/readyz`, metrics and tools.
public struct AuditStatus: Sendable, Hashable {
    /// The number of runs that compared every model.
    public internal(set) var runs: UInt64
    /// The duration of the last run in seconds, including pauses; nil before the first run.
    public internal(set) var lastSeconds: Double?
    /// The status of each model that is audited.
    public internal(set) var models: [AuditedModel]

    package init(_ models: [AuditedModel], runs: UInt64 = 0, lastSeconds: Double? = nil) {
        (self.models, self.runs, self.lastSeconds) = (models, runs, lastSeconds)
    }
}

/// The shadow auditor's findings about one model.
public struct AuditedModel: Sendable, Hashable {
    /// The model's name.
    public let name: String
    /// The model's position at the last comparison; nil before the first comparison.
    public internal(set) var position: Position?
    /// The difference at the last comparison; nil if the model was equal.
    public internal(set) var mismatch: ModelDifference?
    /// The cause of the difference; nil until the search for it has ended, or if the search failed.
    public internal(set) var diagnosis: Diagnosis?
    /// The reason why the last comparison, or the search for a cause after it, failed; nil if neither failed.
    public internal(set) var failure: String?

    package init(name: String, position: Position? = nil, mismatch: ModelDifference? = nil, failure: String? = nil) {
        (self.name, self.position, self.mismatch, self.failure) = (name, position, mismatch, failure)
    }
}

/// An event for the operator's log. The code that starts the shadow auditor writes the event to that log.
public enum AuditNews: Sendable {
    /// A model differs from the log. The diagnosis of the difference follows as another event, unless an earlier run has diagnosed the same
    /// difference.
    case mismatch(ModelDifference)
    /// The cause of a difference was found.
    case diagnosis(Diagnosis)
    /// A model could not be compared or diagnosed.
    case failure(model: String, AuditError)
    /// A model that differed from the log at the previous comparison is correct again.
    case mended(model: String)
    /// A run has compared every model.
    case finished(AuditStatus)
}
