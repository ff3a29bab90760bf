public import EventLog

/// What became of comparing one read model with the log.
public enum ModelVerdict: Hashable, Sendable {
    /// Every row is what it must be, up to the model's own position.
    case equal(position: Position, rows: Int)
    case different(ModelDifference)
}
