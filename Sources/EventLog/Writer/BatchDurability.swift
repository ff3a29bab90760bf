/// The step that makes a batch durable: on this machine alone, or also in a log that several machines share.
public protocol BatchDurability: Sendable {
    /// Makes every record of a batch durable against a power failure, and readable on this machine.
    ///
    /// MUST call `commitLocally` with this batch, once, and MUST return only when the batch is durable wherever it has to be. A throw means
    /// an unknown outcome: the appender accepts no more events, and the next opening finds out. Called on the committing thread, which it
    /// may block, for one batch at a time, in the order of positions.
    ///
    /// - Parameters:
    ///   - batch: the staged events; never empty.
    ///   - commitLocally: one LMDB transaction and one flush; if it throws, it has stored either nothing or everything.
    func makeDurable(_ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void) throws(EventLogError)

    /// Whether another process could write the log meanwhile. Then answers without events need ``confirm()``, a commit has about
    /// ``LogLimits/entryBytesMax`` bytes at most, and each batch has its root.
    ///
    /// MUST NOT change. A step around another one MUST pass on this, ``confirm()`` and ``giveUp(afterSeconds:)``.
    var isShared: Bool { get }

    /// Requires that no other process has written the log, so that an answer without events is up to date.
    ///
    /// Called on the committing thread, which it may block. After a throw the writer stops for good.
    func confirm() throws(EventLogError)

    /// Tells that the writer stops: after this time, a call that gets no answer MUST throw instead of waiting on. Any thread may call.
    func giveUp(afterSeconds seconds: Double)
}

extension BatchDurability {
    public var isShared: Bool { false }
    /// Does nothing: the folder's lock keeps other writers out.
    public func confirm() throws(EventLogError) {}
    /// Does nothing: a local commit does not wait for others.
    public func giveUp(afterSeconds seconds: Double) {}
}

/// Durability on one machine: a batch is durable when the local commit has returned.
public struct LocalCommit: BatchDurability {
    public init() {}

    /// Commits the batch locally.
    public func makeDurable(_ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void) throws(EventLogError) {
        try commitLocally(batch)
    }
}

extension EventLog {
    /// Makes the batch that follows the head durable, then visible.
    ///
    /// - Throws: any error at making the batch durable; the outcome is then unknown.
    func commit(_ batch: EncodedBatch, by durability: any BatchDurability) throws(EventLogError) {
        try durability.makeDurable(batch) { (batch) throws(EventLogError) in try storage.commit(batch) }
        // A crash from here on leaves the events on disk, but no caller answered. Readers may now see an event before its sender has an
        // answer.
        headSignal.publish(batch.last)
    }
}
