public import EventLog

/// The shadow auditor's findings since the server started, for `/readyz`, metrics and tools.
public struct AuditStatus: Sendable, Hashable {
    /// The number of completed runs. Each run tries to compare every model.
    public internal(set) var runs: UInt64
    /// The duration of the last completed run in seconds, including pauses; nil before the end of the first run.
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
    /// The model's position at the last successful comparison; nil if there was none yet, or if the position could not be read.
    public internal(set) var position: Position?
    /// The difference that the last successful comparison found; nil if it found none, or if there was no such comparison yet.
    public internal(set) var mismatch: ModelDifference?
    /// The cause of the difference; nil if there is no difference, if the search for its cause has not ended, or if the search failed.
    public internal(set) var diagnosis: Diagnosis?
    /// The reason why the last comparison, or the search for a cause after it, failed; nil if neither failed.
    public internal(set) var failure: String?

    package init(name: String, position: Position? = nil, mismatch: ModelDifference? = nil, failure: String? = nil) {
        (self.name, self.position, self.mismatch, self.failure) = (name, position, mismatch, failure)
    }
}

/// An event for the operator's log. The code that starts the shadow auditor writes the event to that log.
public enum AuditNews: Sendable {
    /// A model differs from the log. A diagnosis of the difference, or a failure of the search for its cause, follows as another event,
    /// unless an earlier run has diagnosed the same difference or the auditor is stopped.
    case mismatch(ModelDifference)
    /// The cause of a difference was found.
    case diagnosis(Diagnosis)
    /// A model could not be compared or diagnosed.
    case failure(model: String, AuditError)
    /// A model that differed from the log at the previous comparison is correct again.
    case mended(model: String)
    /// A run has ended. It has tried to compare every model.
    case finished(AuditStatus)
}
