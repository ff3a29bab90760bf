public import EventLog
public import Loyalty

/// A place in the log that a question about the past is asked of.
public struct Moment: Hashable, Sendable {
    /// The last event that had happened.
    public let position: Position
    /// What the clock said: the time that was asked for, else that of the last event.
    public let clock: Instant
}
