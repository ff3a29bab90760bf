internal import Merkle

/// The only way to add events to a log: it stages events in memory, and commits them together.
///
/// It belongs to the writer's thread. Its reads also see staged events, so that each decision of a batch sees the earlier ones. Other
/// readers do not see them before their commit. ``GroupCommit`` has two threads: one seals a batch and stages into the next, the other
/// makes it durable.
///
/// After a commit that threw, it accepts no more events, because only the next opening can find out the outcome. Releasing it permits the
/// log's next appender, unless staged events or an unknown outcome require the log to be reopened.
///
/// Decisions hold no write transaction. The folder's lock admits one writer, so nothing can come between a decision and its commit.
public final class Appender: EventSource {
    let log: EventLog
    let index: TagIndex
    var unstored: UnstoredEvents
    private var edge: TreeEdge
    private var failure: EventLogError?
    private let durability: any BatchDurability
    private let batchBytesMax: Int

    init(log: EventLog, index: TagIndex, edge: TreeEdge, durability: any BatchDurability) {
        (self.log, self.index, self.edge, self.durability) = (log, index, edge, durability)
        unstored = UnstoredEvents(after: log.headSignal.head)
        batchBytesMax = durability.isShared ? LogLimits.sharedBatchBytesMax : LogLimits.batchBytesMax
    }

    // Staged events are in the index, under positions that another appender would assign again.
    deinit { if failure == nil, log.headSignal.head == head { log.releaseAppender() } }

    /// The events staged since the last batch ended.
    public var staged: EncodedBatch { unstored.current }

    /// The last staged or, if nothing is staged, stored position.
    public var head: Position { unstored.current.last }

    /// Assigns the next position to an event and encodes it into the batch. Nothing is durable yet.
    ///
    /// - Throws: ``EventLogError`` `.recordTooLarge`, `.tooManyTags`, `.schemaConflict` for a type or a kind that the schema does not have,
    ///   `.closed`, `.stopped` after an earlier failure; the batch is unchanged.
    @discardableResult
    public func stage(_ event: NewEvent) throws(EventLogError) -> Position {
        try encode(event)
        try indexStaged(from: staged.count - 1)
        return staged.last
    }

    /// Stages events, all or none; returns their positions, or nil without events.
    ///
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

    /// Makes all staged events durable and then visible, with one transaction and one flush. Returns the head.
    ///
    /// - Throws: ``EventLogError`` `.closed` if the log was closed before: nothing was stored. After any other error the outcome is
    ///   unknown: the caller MUST report no success and stop permanently.
    @discardableResult
    public func commit() throws(EventLogError) -> Position {
        try requireRunning()
        let batch = try seal()
        if !batch.isEmpty {
            do throws(EventLogError) { try log.commit(batch, by: durability) } catch {
                failure = error
                throw error
            }
        }
        try forgetStored()
        return head
    }

    /// Ends the batch, and begins a new one. The caller MUST commit all ended batches, in their order.
    ///
    /// - Throws: the error that stopped the appender.
    func seal() throws(EventLogError) -> EncodedBatch {
        if let failure { throw failure }
        var batch = unstored.seal()
        batch.hash(onto: &edge, withRoot: durability.isShared)
        return batch
    }

    /// Releases committed batches, and lets the index flush.
    ///
    /// - Parameter stalling: called before waiting for ended batches; it must make sure that they will be committed.
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
        for tag in event.tags { try log.schema.require(tag.kind) }
        try unstored.current.append(event, bytesMax: batchBytesMax)
    }

    /// Only for a whole `stage` call, because the index cannot remove an event.
    private func indexStaged(from first: Int) throws(EventLogError) { try index(staged, from: first) }

    private func index(_ batch: EncodedBatch, from first: Int) throws(EventLogError) {
        do throws(EventLogError) {
            for number in first..<batch.count {
                let position = batch.first.rawValue + UInt64(number)
                index.insert(try LogStorage.checked(batch.record(number), at: position), at: position)
            }
        } catch {
            // The index may lack staged events, so the next decision could read an incomplete history.
            failure = error
            throw error
        }
    }

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
    /// Stages events, all or none, unless an earlier event matches the condition, so that the decision may be outdated.
    ///
    /// The condition applies to stored and earlier staged events, never to `events`. With the only appender, check and append are one step.
    /// Errors come in this order: empty `events`, invalid query, `after` beyond the head, conflict, invalid event.
    ///
    /// - Parameters:
    ///   - events: at least one.
    ///   - condition: the events that must not exist.
    /// - Throws: with nothing staged, ``EventLogError`` `.conditionFailed` with the ``AppendConflict``; `.invalidQuery`, also for no
    ///   events; `.afterBeyondHead`; other errors of a read; the errors of ``stage(_:)-([NewEvent])``.
    @discardableResult
    public func stage(_ events: [NewEvent], unless condition: AppendCondition?) throws(EventLogError) -> ClosedRange<Position> {
        if events.isEmpty { throw EventLogError(.invalidQuery, "an append of no events.") }
        if let condition, let conflict = try conflict(with: condition) { throw EventLogError(conflict) }
        let first = head.next
        try stage(events)
        return first...head
    }

    /// The conflict with a condition among all stored and staged events.
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
    /// Makes the events of entries that other nodes have sealed durable on this machine, with one transaction and one flush, and then
    /// visible: all or none. The caller MUST NOT have uncommitted events.
    ///
    /// - Throws: with nothing stored, ``EventLogError`` `.logMismatch` for entries that do not continue this log, `.formatTooNew` and
    ///   `.schemaConflict` for events that this program does not know, the error that stopped the appender. Without room
    ///   (``EventLogError/isOutOfSpace``) nothing is stored either, and the call may be repeated. After any other error the outcome is
    ///   unknown, and the appender is stopped.
    func adopt(_ entries: [Entry]) throws(EventLogError) {
        try requireRunning()
        precondition(head == log.headSignal.head, "own events before those of another node")
        let (batch, grown) = try checked(entries)
        if batch.isEmpty { return }
        do throws(EventLogError) { try log.storage.commit(batch) } catch {
            // Nothing has changed in memory so far, so that only an unknown outcome needs another opening.
            if !error.isOutOfSpace { failure = error }
            throw error
        }
        // A crash here leaves events that no reader has seen. The next opening indexes them, and the follower resumes after them.
        (edge, unstored) = (grown, UnstoredEvents(after: batch.last))
        try index(batch, from: 0)
        log.headSignal.publish(batch.last)
        try forgetStored()
    }

    /// The events of all entries with their hashes, and the tree's edge after them.
    private func checked(_ entries: [Entry]) throws(EventLogError) -> (EncodedBatch, TreeEdge) {
        var (all, grown) = (EncodedBatch(first: head.next), edge)
        var root = edge.root
        for entry in entries {
            guard entry.first == all.last.next, entry.before == root else {
                throw EventLogError(.logMismatch, "\(entry) does not continue this log at \(all.last).", position: entry.first)
            }
            var batch = entry.batch
            try requireKnown(batch)
            batch.hash(onto: &grown, withRoot: true)
            guard batch.root == entry.after else {
                throw EventLogError(.logMismatch, "the records of \(entry) do not lead to its root.", position: entry.first)
            }
            root = entry.after
            if all.isEmpty { all = batch } else { all.append(contentsOf: batch) }
        }
        return (all, grown)
    }

    private func requireKnown(_ batch: EncodedBatch) throws(EventLogError) {
        for number in 0..<batch.count {
            guard let record = Record(batch.record(number)) else {
                throw EventLogError(.formatTooNew, "an event of the shared log has a format that this program does not know.")
            }
            try log.schema.require(record.type)
            for index in 0..<record.tagCount { try log.schema.require(record.tag(at: index).kind) }
        }
    }
}

extension Appender {
    /// The positions of the matching events; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: log.schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).positions(matching: query, in: range)
    }

    /// The newest event with this tag and, if given, this type; see ``EventSource``.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if let type { try log.schema.require(type) }
        try log.schema.requireIndexed(tag.kind)
        return try IndexedSearch(log: log.storage, index: index, unstored: unstored).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a record, without copying it; see ``EventSource``.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        let unstored = unstored
        if let bytes = unstored.record(at: position.rawValue) { return try body(LogStorage.checked(bytes, at: position.rawValue)) }
        return try log.withRecord(at: position, body)
    }
}

/// Staged events that may not be in the log yet, at consecutive positions after the stored ones.
///
/// Records of sealed batches are read from here until they are known to be stored. The older of two generations is released as a whole, so
/// each needs one buffer, and no record moves twice.
struct UnstoredEvents: Sendable {
    private var older: EncodedBatch
    private var newer: EncodedBatch
    var current: EncodedBatch

    /// Empty, and positioned after every event.
    static let none = UnstoredEvents(after: Position(UInt64.max - 1))

    init(after head: Position) {
        older = EncodedBatch(first: head.next)
        newer = older
        current = older
    }

    var first: UInt64 { older.first.rawValue }

    @_lifetime(borrow self)
    func record(at position: UInt64) -> Span<UInt8>? {
        if position >= current.first.rawValue { return current.record(at: position) }
        return position >= newer.first.rawValue ? newer.record(at: position) : older.record(at: position)
    }

    mutating func seal() -> EncodedBatch {
        if current.isEmpty { return current }
        let batch = current
        newer.append(contentsOf: batch)
        current = EncodedBatch(first: batch.last.next, like: batch)
        return batch
    }

    mutating func forget(through head: Position) {
        if older.last > head { return }
        swap(&older, &newer)
        newer.restart(at: current.first)
    }
}
