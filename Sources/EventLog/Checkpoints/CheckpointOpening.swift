/// What became of the kept checkpoint when its log was opened.
public enum CheckpointOpening: Sendable {
    /// There was none, and no event either.
    case first
    /// The log continues it.
    case continued
    /// There was none, but there are events: the log is older than checkpoints, or somebody has removed the file. Tell the operator.
    case missing
    /// The log does not continue it, for this reason, and the operator has accepted that: it lies now at this path.
    case replaced(path: String, reason: EventLogError)
}
