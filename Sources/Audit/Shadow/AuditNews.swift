/// What the shadow auditor has to tell as it happens; whoever started it writes it to the log.
public enum AuditNews: Sendable {
    /// A model is not what the log says. Its diagnosis follows.
    case mismatch(ModelDifference)
    /// Why that is so.
    case diagnosis(Diagnosis)
    /// A model could not be compared, or not diagnosed.
    case failure(model: String, AuditError)
    /// A model that was not right before is now.
    case mended(model: String)
    /// A run went through every model.
    case finished(AuditStatus)
}
