package import EventLog
internal import LMDB

/// Applies events to one model, batch by batch, on one thread. After an error only ``settle()`` may be called, because `pending` may have
/// changes of a discarded transaction.
///
/// The loop over the events is a static function with the fields as arguments: in a generic value, look-ups of type metadata took a fifth
/// of a rebuild.
package struct ModelUpdater<Model: Projection>: ModelFollower {
    private let model: Model
    private let store: ModelStore
    private let log: EventLog
    private let options: UpdateOptions
    private let wanted = TypeFilter(Model.eventTypes)
    private var pending: Model.Pending

    package private(set) var position: Position
    private var stored: Position
    package private(set) var applied = 0

    package init(_ model: Model, in store: ModelStore, log: EventLog, options: UpdateOptions) throws(ReadModelError) {
        (self.model, self.store, self.log, self.options) = (model, store, log, options)
        pending = model.makePending(cachedMax: options.cachedMax)
        position = try store.mark().position
        stored = position
    }

    /// Applies the next batch of events and commits it with its position, all or nothing.
    ///
    /// A batch without an event for this model is committed only after ``UpdateOptions/unstoredMax`` events.
    ///
    /// - Parameter head: a position that is not beyond the log's head.
    @available(*, noasync)
    package mutating func advance(towards head: Position) throws(ReadModelError) {
        guard position < head else { return }
        let through = min(head.rawValue, position.rawValue + UInt64(options.eventsPerBatch))
        do { position = try commit(through: Position(through)) } catch { throw ReadModelError(any: error, model: Model.name) }
    }

    /// Stores the reached position, if ``advance(towards:)`` did not.
    @available(*, noasync)
    package mutating func settle() throws(ReadModelError) {
        guard stored < position else { return }
        do {
            let environment = store.environment
            var transaction = try environment.write()
            try mark(position, in: &transaction)
            try transaction.commit()
            stored = position
        } catch {
            throw ReadModelError(any: error, model: Model.name)
        }
    }

    @available(*, noasync)
    private mutating func commit(through: Position) throws -> Position {
        let environment = store.environment
        var transaction = try environment.write()
        let (reached, count) = try Self.apply(
            model, wanted, log, after: position, through: through, changesMax: options.changesPerBatch, to: &pending, in: &transaction)
        if count == 0, reached.rawValue - stored.rawValue < UInt64(options.unstoredMax) { return reached }
        applied += count
        try model.flush(&pending, in: &transaction)
        try mark(reached, in: &transaction)
        try transaction.commit()
        stored = reached
        return reached
    }

    private func mark(_ position: Position, in transaction: inout WriteTransaction) throws {
        guard let mark = try ModelMark(position, in: log) else { throw Self.missing(position) }
        try store.put(mark, in: &transaction)
    }

    @available(*, noasync)
    private static func apply(
        _ model: Model, _ wanted: TypeFilter, _ log: EventLog, after: Position, through: Position, changesMax: Int,
        to pending: inout Model.Pending, in transaction: inout WriteTransaction
    ) throws -> (Position, Int) {
        var reached = after
        var count = 0
        try log.scan(after: after, through: through) { (position, record) throws -> Bool in
            reached = position
            guard wanted.contains(record.type) else { return true }
            do { try model.apply(record, at: position, to: &pending, in: &transaction) } catch {
                throw ReadModelError(any: error, model: Model.name, at: position, of: record.type, in: log)
            }
            count += 1
            return count % ProjectionLimits.eventsPerLook != 0 || model.changes(in: pending) < changesMax
        }
        guard reached > after else { throw missing(after.next) }
        return (reached, count)
    }

    private static func missing(_ position: Position) -> ReadModelError {
        ReadModelError(.log, model: Model.name, position: position, "the log has no event there")
    }
}

/// The limits of a batch and of the caches. In a rebuild few large batches are best, because each writes most pages of a table.
package struct UpdateOptions: Sendable {
    /// Events scanned for one transaction, at least 1.
    package var eventsPerBatch: Int
    /// Changed entities that end a batch early, at least 1. Compared every 64 applied events.
    package var changesPerBatch: Int
    package var cachedMax: Int
    /// Events without effect on the model after which its position is stored; 0 stores it with every batch.
    package var unstoredMax: Int

    package init(eventsPerBatch: Int, changesPerBatch: Int = ProjectionLimits.changesPerBatch, cachedMax: Int, unstoredMax: Int = 0) {
        self.eventsPerBatch = max(1, eventsPerBatch)
        self.changesPerBatch = max(1, changesPerBatch)
        (self.cachedMax, self.unstoredMax) = (cachedMax, unstoredMax)
    }

    package static let following = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBatch, cachedMax: ProjectionLimits.cachedMax,
        unstoredMax: ProjectionLimits.unstoredEvents)

    package static let building = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBulkBatch, cachedMax: ProjectionLimits.cachedMaxInBulk)
}

/// Applies the log's events to a model in any storage engine. One thread uses it. After an error only ``settle()`` may be called.
package protocol ModelFollower {
    /// The position that readers see. A restart may continue earlier, after the last event that concerned the model.
    var position: Position { get }

    /// The number of applied events.
    var applied: Int { get }

    /// Applies some events after the position, and stores them with the new position in one transaction.
    @available(*, noasync)
    mutating func advance(towards head: Position) throws(ReadModelError)

    /// Stores the position even if no recent event concerned this model.
    @available(*, noasync)
    mutating func settle() throws(ReadModelError)
}

/// A set of event types whose test, made at every record, reads one bit for most types.
package struct TypeFilter: Sendable {
    /// One bit for each type below 64, which are the most frequent.
    private let low: UInt64
    private let others: Set<EventType>

    package init(_ types: some Sequence<EventType>) {
        var (low, others): (UInt64, Set<EventType>) = (0, [])
        for type in types {
            if type.rawValue < 64 { low |= 1 << UInt64(type.rawValue) } else { others.insert(type) }
        }
        (self.low, self.others) = (low, others)
    }

    /// Whether the set contains a type.
    @inline(__always)
    package func contains(_ type: EventType) -> Bool {
        type.rawValue < 64 ? low >> UInt64(type.rawValue) & 1 == 1 : others.contains(type)
    }
}
