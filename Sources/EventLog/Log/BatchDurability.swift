/// The step that makes a batch durable: the one place where a replicated log would come in.
///
/// Today that is the local commit alone. With a replicated log an implementation publishes the batch, expecting ``EncodedBatch/first``
/// to be the next sequence, and commits locally after that.
public protocol BatchDurability: Sendable {
    /// Makes every record of a batch survive the loss of power, and readable here.
    ///
    /// MUST call `commitLocally` with this batch, once, and MUST return only when the batch is durable wherever it has to be.
    /// A throw means that the outcome is unknown: the appender accepts nothing more, and the next start finds out. Called on the
    /// writer's thread, one batch at a time, in the order of positions; it may block, and all writing waits for it.
    ///
    /// - Parameters:
    ///   - batch: what was staged; never empty.
    ///   - commitLocally: one LMDB transaction and one flush; throws with nothing or everything stored.
    func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError)
}
