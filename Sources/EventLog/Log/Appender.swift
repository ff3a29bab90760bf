internal import LMDB
internal import Merkle

/// The one way into the log: stages events in memory, to be committed together.
///
/// It belongs to one thread, the writer's, and is not `Sendable`. Its reads see stored and staged events alike, so that each
/// decision of a batch is made on what the ones before it have done. Nothing staged is visible to anybody else before its commit.
///
/// Whoever has one thread only stages and calls ``commit()``. ``GroupCommit`` has two: one seals what is staged and goes on staging,
/// while the other makes the sealed batch durable.
///
/// After a commit that threw, nothing more is accepted: the outcome is known to the next opening alone.
public final class Appender: EventSource {
    let log: EventLog
    let index: TagIndex
    /// What the log may not have yet.
    var unstored: UnstoredEvents
    /// The tree over everything stored and sealed.
    private var edge: TreeEdge
    /// Why nothing more is accepted.
    private var failure: EventLogError?

    init(log: EventLog, index: TagIndex, edge: TreeEdge) {
        self.log = log
        self.index = index
        self.edge = edge
        unstored = UnstoredEvents(after: log.headSignal.head)
    }

    /// What has been staged since the last commit.
    public var staged: EncodedBatch { unstored.current }

    /// The last position staged, or stored if nothing is.
    public var head: Position { unstored.current.last }

    /// Gives an event the next position and encodes it into the batch. Nothing is durable yet.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/recordTooLarge``, ``EventLogError/Code-swift.struct/tooManyTags``,
    ///   ``EventLogError/Code-swift.struct/schemaConflict`` for a type or a kind that the schema does not have; the batch is as it was.
    @discardableResult
    public func stage(_ event: NewEvent) throws(EventLogError) -> Position {
        try encode(event)
        try indexStaged(from: staged.count - 1)
        return staged.last
    }

    /// Stages events that belong together: all of them or none.
    ///
    /// - Returns: their positions; nil when there are no events.
    /// - Throws: as ``stage(_:)-(NewEvent)``; the batch is as it was.
    @discardableResult
    public func stage(_ events: [NewEvent]) throws(EventLogError) -> ClosedRange<Position>? {
        let before = staged.count
        do throws(EventLogError) {
            for event in events { try encode(event) }
        } catch {
            unstored.current.truncate(to: before)
            throw error
        }
        if staged.count == before { return nil }
        try indexStaged(from: before)
        return Position(staged.first.rawValue + UInt64(before))...staged.last
    }

    /// Makes everything staged durable, then visible: one transaction, one flush. Nothing staged, nothing done.
    ///
    /// - Returns: the head.
    /// - Throws: whatever kept the batch from being durable. The outcome is unknown: the caller MUST answer nobody and stop for good.
    @discardableResult
    public func commit() throws(EventLogError) -> Position {
        try requireRunning()
        let batch = try seal()
        if !batch.isEmpty {
            do throws(EventLogError) { try log.commit(batch) } catch {
                failure = error
                throw error
            }
        }
        try forgetStored()
        return head
    }

    /// Ends the batch: whoever gets it has to commit it, and all such batches in their order. Staging goes on behind it.
    ///
    /// - Throws: what made the appender stop.
    func seal() throws(EventLogError) -> EncodedBatch {
        if let failure { throw failure }
        var batch = unstored.seal()
        batch.hash(onto: &edge)
        return batch
    }

    /// Lets go of sealed batches that were committed meanwhile, and lets the index flush.
    ///
    /// - Parameter stalling: called before this waits for sealed batches to be committed: nothing else may keep them from it.
    /// - Throws: what made the appender stop.
    func forgetStored(stalling: () -> Void = {}) throws(EventLogError) {
        if let failure { throw failure }
        unstored.forget(through: log.headSignal.head)
        index.flushIfLarge(stalling: stalling)
        try indexWhatWasLeftOut()
    }

    private func encode(_ event: NewEvent) throws(EventLogError) {
        try requireRunning()
        if log.schema.types[event.type] == nil {
            throw EventLogError(.schemaConflict, "the schema has no type \(event.type.rawValue).")
        }
        for tag in event.tags where log.schema.tagKinds[tag.kind] == nil {
            throw EventLogError(.schemaConflict, "the schema has no tag kind \(tag.kind.rawValue).")
        }
        try unstored.current.append(event)
    }

    /// The index learns of events only when all that belong together are staged: it cannot forget one.
    private func indexStaged(from first: Int) throws(EventLogError) {
        let batch = staged
        do throws(EventLogError) {
            for number in first..<batch.count {
                let position = batch.first.rawValue + UInt64(number)
                index.insert(try LogStorage.checked(batch.record(number), at: position), at: position)
            }
        } catch {
            // Staged, but perhaps not to be found: the next decision would be made on half a history.
            failure = error
            throw error
        }
    }

    /// Adds the last of the events that the index had no room for; see ``TagIndex``.
    private func indexWhatWasLeftOut() throws(EventLogError) {
        guard let missing = index.missing(through: head.rawValue) else { return }
        for position in missing {
            try withRecord(at: Position(position)) { (record) throws(EventLogError) in index.insert(record, at: position) }
        }
    }

    private func requireRunning() throws(EventLogError) {
        if let failure { throw EventLogError(.stopped, "an earlier failure: \(failure)") }
    }
}
