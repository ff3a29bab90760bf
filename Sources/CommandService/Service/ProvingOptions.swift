public import EventLog

/// What the log is called, and what to do about its checkpoints.
public struct ProvingOptions: Sendable {
    /// The log's name in its checkpoints: a URL without scheme and trailing slash. Nil for the one that it has.
    public var origin: String?
    /// Whether the operator knows why the log does not continue its kept checkpoint; that is set aside then.
    public var acceptsOlderLog = false
    /// Told when no checkpoint can be stored, on a thread of the service; it is tried again every second.
    public var onFailure: @Sendable (EventLogError) -> Void = { _ in }

    /// The defaults suit a service whose log was never rolled back.
    public init() {}
}
