internal import LMDB
internal import Merkle

/// The only way into the log: stages events in memory, to be committed together.
///
/// It belongs to one thread, the writer's, and is not `Sendable`. Its reads see stored and staged events alike, so each decision of a batch
/// sees the effects of the earlier ones. Staged events are not visible to any other reader before their commit.
///
/// A caller with one thread stages and calls ``commit()``. ``GroupCommit`` has two: one seals the staged events and continues staging,
/// while the other makes the sealed batch durable.
///
/// After a commit that threw, the appender accepts nothing more: only the next opening knows the outcome.
///
/// A log has one appender at a time. Its release makes room for the next one, unless it leaves events that were staged and not committed,
/// or a commit whose outcome is unknown: then the log has to be opened again.
public final class Appender: EventSource {
    let log: EventLog
    let index: TagIndex
    /// The events that the log may not have yet.
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

    // Staged events are in the index already, under positions that another appender would use again.
    deinit { if failure == nil, log.headSignal.head == head { log.releaseAppender() } }

    /// The events staged since the last commit.
    public var staged: EncodedBatch { unstored.current }

    /// The last position staged, or stored if nothing is.
    public var head: Position { unstored.current.last }

    /// Gives an event the next position and encodes it into the batch. Nothing is durable yet.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/recordTooLarge``, ``EventLogError/Code-swift.struct/tooManyTags``,
    ///   ``EventLogError/Code-swift.struct/schemaConflict`` for a type or a kind that the schema does not have,
    ///   ``EventLogError/Code-swift.struct/closed``; the batch is as it was.
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

    /// Makes everything staged durable, then visible, with one transaction and one flush. It does nothing if nothing is staged.
    ///
    /// - Returns: the head.
    /// - Throws: ``EventLogError/Code-swift.struct/closed`` if the log was closed before: nothing was stored. Any other error kept the
    ///   batch from being durable, and the outcome is unknown: the caller MUST report no success and stop for good.
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

    /// Ends the batch. The caller MUST commit it, and all such batches in their order. Staging continues after it.
    ///
    /// - Throws: the error that stopped the appender.
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
        try log.schema.require(event.type)
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
        if log.isClosed { throw EventLogError(.closed, "an append to a closed log.") }
    }
}

extension Appender {
    /// Stages events that belong together, all of them or none, unless something has happened that their decision did not know of.
    ///
    /// The condition sees stored events and those staged before, never the events themselves: with one appender, check and append
    /// are one step. What is wrong is looked for in this order: no events, the query, `after`, a conflict, the events.
    ///
    /// - Parameters:
    ///   - events: at least one.
    ///   - condition: what must not have happened; nil when anything may have.
    /// - Returns: the positions of the events.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for no events; ``EventLogError/Code-swift.struct/afterBeyondHead``; what
    ///   else a read throws; what ``stage(_:)-([NewEvent])`` throws. Nothing is staged then.
    @discardableResult
    public func stage(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        if events.isEmpty { throw EventLogError(.invalidQuery, "an append of no events.") }
        if let condition, let conflict = try conflict(with: condition) { throw EventLogError(conflict) }
        let first = head.next
        try stage(events)
        return first...head
    }

    /// The event that breaks a condition, as of everything stored and staged; nil if there is none.
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
    /// The places of the stored and staged events that match; see ``EventSource``.
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

    /// Calls `body` with a stored or staged record, in place.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        let unstored = unstored
        if let bytes = unstored.record(at: position.rawValue) { return try body(LogStorage.checked(bytes, at: position.rawValue)) }
        return try log.withRecord(at: position, body)
    }
}

/// Events that the writer has staged and that the log may not have yet: dense, behind the stored events.
///
/// Sealed batches are being committed, perhaps by another thread; their records are read from here until they are known to be stored. There
/// are two generations, the older of which is released as a whole. So each has one buffer, and no record is moved twice.
struct UnstoredEvents: Sendable {
    private var older: EncodedBatch
    private var newer: EncodedBatch
    /// Takes what is staged now.
    var current: EncodedBatch

    /// Nothing, behind every position.
    static let none = UnstoredEvents(after: Position(UInt64.max - 1))

    init(after head: Position) {
        older = EncodedBatch(first: head.next)
        newer = older
        current = older
    }

    /// The first position that is here, or would be.
    var first: UInt64 { older.first.rawValue }

    /// The bytes of the record at a position, nil when it is not here.
    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        if position >= current.first.rawValue { return current.record(at: position) }
        return position >= newer.first.rawValue ? newer.record(at: position) : older.record(at: position)
    }

    /// Begins another batch behind the current one.
    ///
    /// - Returns: the batch so far; nothing more is added to it.
    mutating func seal() -> EncodedBatch {
        if current.isEmpty { return current }
        let batch = current
        newer.append(contentsOf: batch)
        current = EncodedBatch(first: batch.last.next, like: batch)
        return batch
    }

    /// Drops sealed records that the log has by now.
    mutating func forget(through head: Position) {
        if older.last > head { return }
        swap(&older, &newer)
        newer.restart(at: current.first)
    }
}
