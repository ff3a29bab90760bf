internal import LMDB
internal import Merkle

/// The only way to add events to a log: it stages events in memory, and commits them together.
///
/// It belongs to one thread, the writer's, and is not `Sendable`. Its reads see both stored and staged events, so that each decision of a
/// batch sees the effects of the earlier decisions. Other readers do not see staged events before their commit.
///
/// A caller with one thread stages and calls ``commit()``. ``GroupCommit`` has two threads: one seals the batch, so that no more events
/// join it, and stages into the next batch. Meanwhile the other thread makes the sealed batch durable.
///
/// After a commit that threw, the appender accepts no more events, because only the next opening can find out the outcome.
///
/// A log has one appender at a time. Releasing the appender permits the next one, unless events were staged and not committed or the
/// outcome of a commit is unknown. In these cases the log must be reopened.
public final class Appender: EventSource {
    let log: EventLog
    let index: TagIndex
    /// The staged events that may not be stored in the log yet.
    var unstored: UnstoredEvents
    /// The right edge of the Merkle tree over all events that are stored or in an ended batch.
    private var edge: TreeEdge
    /// The reason why no more events are accepted; nil while events are accepted.
    private var failure: EventLogError?

    init(log: EventLog, index: TagIndex, edge: TreeEdge) {
        self.log = log
        self.index = index
        self.edge = edge
        unstored = UnstoredEvents(after: log.headSignal.head)
    }

    // Staged events are already in the index, under positions that another appender would assign again. So the log gets another appender
    // only if nothing is staged.
    deinit { if failure == nil, log.headSignal.head == head { log.releaseAppender() } }

    /// The events of the current batch: those staged since the last batch ended.
    public var staged: EncodedBatch { unstored.current }

    /// The last staged position; the last stored one if nothing is staged.
    public var head: Position { unstored.current.last }

    /// Assigns the next position to an event and encodes it into the batch. Nothing is durable yet.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/recordTooLarge``, ``EventLogError/Code-swift.struct/tooManyTags``,
    ///   ``EventLogError/Code-swift.struct/schemaConflict`` for a type or a kind that the schema does not have,
    ///   ``EventLogError/Code-swift.struct/closed``, ``EventLogError/Code-swift.struct/stopped`` after an earlier failure; the batch is
    ///   unchanged.
    @discardableResult
    public func stage(_ event: NewEvent) throws(EventLogError) -> Position {
        try encode(event)
        try indexStaged(from: staged.count - 1)
        return staged.last
    }

    /// Stages events as a unit: all of them or none.
    ///
    /// - Returns: the events' positions; nil if there are no events.
    /// - Throws: as ``stage(_:)-(NewEvent)``; the batch is unchanged.
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

    /// Makes all staged events durable and then visible, with one transaction and one flush. Does nothing if nothing is staged.
    ///
    /// - Returns: the head.
    /// - Throws: ``EventLogError/Code-swift.struct/closed`` if the log was closed before: nothing was stored. After any other error the
    ///   outcome is unknown: the caller MUST report no success and stop permanently.
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

    /// Ends the batch (seals it). The caller MUST commit all ended batches, in their order. Staging continues with a new batch.
    ///
    /// - Throws: the error that stopped the appender.
    func seal() throws(EventLogError) -> EncodedBatch {
        if let failure { throw failure }
        var batch = unstored.seal()
        batch.hash(onto: &edge)
        return batch
    }

    /// Releases the ended batches that have been committed, and lets the index flush.
    ///
    /// - Parameter stalling: called before this method waits for the commit of ended batches. The closure must make sure that they will be
    ///   committed.
    /// - Throws: the error that stopped the appender; errors of reading the events that the index lacks.
    func forgetStored(stalling: () -> Void = {}) throws(EventLogError) {
        if let failure { throw failure }
        unstored.forget(through: log.headSignal.head)
        index.flushIfLarge(stalling: stalling)
        try indexWhatWasLeftOut()
    }

    private func encode(_ event: NewEvent) throws(EventLogError) {
        try requireRunning()
        try log.schema.require(event.type)
        for tag in event.tags where log.schema.tagKinds[tag.kind] == nil {
            throw EventLogError(.schemaConflict, "the schema has no tag kind \(tag.kind.rawValue).")
        }
        try unstored.current.append(event)
    }

    /// Adds staged events to the index. Called only when all events of one `stage` call are staged, because the index cannot remove an
    /// event again.
    private func indexStaged(from first: Int) throws(EventLogError) {
        let batch = staged
        do throws(EventLogError) {
            for number in first..<batch.count {
                let position = batch.first.rawValue + UInt64(number)
                index.insert(try LogStorage.checked(batch.record(number), at: position), at: position)
            }
        } catch {
            // Staged events may now be missing from the index, so the next decision could read an incomplete history.
            failure = error
            throw error
        }
    }

    /// Adds the events that the index lacks because it had no room for them, unless they are too many to add at once; see ``TagIndex``.
    private func indexWhatWasLeftOut() throws(EventLogError) {
        guard let missing = index.missing(through: head.rawValue) else { return }
        for position in missing {
            try withRecord(at: Position(position)) { (record) throws(EventLogError) in index.insert(record, at: position) }
        }
    }

    private func requireRunning() throws(EventLogError) {
        if let failure { throw EventLogError(.stopped, "an earlier failure: \(failure)") }
        if log.isClosed { throw EventLogError(.closed, "an append to a closed log.") }
    }
}

extension Appender {
    /// Stages events as a unit, unless an earlier event matches the condition. Such an event was not known when the new events were
    /// decided, so the decision may be outdated.
    ///
    /// The condition applies to stored events and to events staged earlier, never to `events`. Because there is only one appender, check
    /// and append are one step. Errors are reported in this order: an empty `events`, an invalid query, an `after` beyond the head, a
    /// conflict, an invalid event.
    ///
    /// - Parameters:
    ///   - events: at least one.
    ///   - condition: the events that must not exist; nil for no condition.
    /// - Returns: the positions of the events.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for no events; ``EventLogError/Code-swift.struct/afterBeyondHead``; other
    ///   errors of a read; the errors of ``stage(_:)-([NewEvent])``. Nothing is staged then.
    @discardableResult
    public func stage(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        if events.isEmpty { throw EventLogError(.invalidQuery, "an append of no events.") }
        if let condition, let conflict = try conflict(with: condition) { throw EventLogError(conflict) }
        let first = head.next
        try stage(events)
        return first...head
    }

    /// The conflict with a condition among all stored and staged events; nil if there is none.
    ///
    /// - Throws: as ``EventSource/positions(matching:after:through:backwards:limit:)``.
    public func conflict(with condition: AppendCondition) throws(EventLogError) -> AppendConflict? {
        let query = condition.failIfEventsMatch
        let found = try positions(matching: query, after: condition.after ?? .start, limit: LogLimits.conflictPositionsMax)
        guard let oldest = found.first else { return nil }
        let item = try withRecord(at: oldest) { record in query.firstItem(matching: record) }
        return AppendConflict(positions: found, item: item ?? nil, canRetryHelp: condition.after != nil)
    }
}

extension Appender {
    /// The positions of the matching stored and staged events; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: log.schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).positions(matching: query, in: range)
    }

    /// The newest stored or staged event that has this tag and, if given, this type.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if let type { try log.schema.require(type) }
        try log.schema.requireIndexed(tag.kind)
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a stored or staged record, without copying it.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        let unstored = unstored
        if let bytes = unstored.record(at: position.rawValue) { return try body(LogStorage.checked(bytes, at: position.rawValue)) }
        return try log.withRecord(at: position, body)
    }
}

/// Staged events that may not be in the log yet. Their positions are consecutive and follow the stored events.
///
/// Another thread may be committing sealed batches. The records of these batches are read from this value until they are known to be
/// stored. There are two generations of batches. The older generation is released as a whole, so each generation needs only one buffer, and
/// no record is moved twice.
struct UnstoredEvents: Sendable {
    private var older: EncodedBatch
    private var newer: EncodedBatch
    /// The batch to which events are being staged.
    var current: EncodedBatch

    /// A value without events, positioned after every event.
    static let none = UnstoredEvents(after: Position(UInt64.max - 1))

    init(after head: Position) {
        older = EncodedBatch(first: head.next)
        newer = older
        current = older
    }

    /// The first position in this value; the position of the next event if this value is empty.
    var first: UInt64 { older.first.rawValue }

    /// The bytes of the record at a position; nil if no batch has this record.
    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        if position >= current.first.rawValue { return current.record(at: position) }
        return position >= newer.first.rawValue ? newer.record(at: position) : older.record(at: position)
    }

    /// Ends the current batch and begins another one.
    ///
    /// - Returns: the ended batch, to which nothing is added any more.
    mutating func seal() -> EncodedBatch {
        if current.isEmpty { return current }
        let batch = current
        newer.append(contentsOf: batch)
        current = EncodedBatch(first: batch.last.next, like: batch)
        return batch
    }

    /// Drops the older generation if all of its records are in the log now. The newer generation then becomes the older one.
    mutating func forget(through head: Position) {
        if older.last > head { return }
        swap(&older, &newer)
        newer.restart(at: current.first)
    }
}
