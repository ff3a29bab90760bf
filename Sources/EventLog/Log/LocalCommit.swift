/// Durability on one machine: a batch is durable when the local commit has returned.
public struct LocalCommit: BatchDurability {
    /// The default of ``EventLog/Options``.
    public init() {}

    /// Commits locally and nothing else.
    public func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        try commitLocally(batch)
    }
}
