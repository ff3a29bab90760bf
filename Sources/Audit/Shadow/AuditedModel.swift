public import EventLog

/// What the shadow auditor knows of one model.
public struct AuditedModel: Sendable, Hashable {
    /// The model's name.
    public let name: String
    /// Where it stood when it was last compared; nil before the first time.
    public internal(set) var position: Position?
    /// What was wrong then; nil where it was equal.
    public internal(set) var mismatch: ModelDifference?
    /// Why; nil while that is being found out, or where it could not be.
    public internal(set) var diagnosis: Diagnosis?
    /// Why it could not be compared the last time it was tried.
    public internal(set) var failure: String?

    package init(name: String, position: Position? = nil, mismatch: ModelDifference? = nil, failure: String? = nil) {
        (self.name, self.position, self.mismatch, self.failure) = (name, position, mismatch, failure)
    }
}
