package import EventLog
internal import LMDB

/// Applies events to one model, batch by batch. The same code is used to follow the log's head and to rebuild a model.
///
/// An updater belongs to one thread. After an error only ``settle()`` may still be called, because `pending` may contain changes of a
/// transaction that was discarded.
///
/// A batch without an event for the model changes no row. To save commits, the position is then stored only if
/// ``UpdateOptions/unstoredMax`` events or more follow the stored position, or by ``settle()``. After a crash the updater scans these
/// events again.
///
/// A static function runs the loop over the events, and gets the model and other fields as arguments. If the loop used the fields of this
/// generic value, each access would look up type metadata, because a call through the protocol is not specialized. These look-ups took a
/// fifth of the time of a rebuild.
package struct ModelUpdater<Model: Projection>: ModelFollower {
    private let model: Model
    private let store: ModelStore
    private let log: EventLog
    private let options: UpdateOptions
    private let wanted = TypeFilter(Model.eventTypes)
    private var pending: Model.Pending

    /// The position that the model has reached. It may not be stored yet if no recent event concerned the model.
    package private(set) var position: Position
    /// The last committed position, from which a restart continues.
    private var stored: Position
    /// The number of events that this updater has applied; events of other types are not counted.
    package private(set) var applied = 0

    package init(_ model: Model, in store: ModelStore, log: EventLog, options: UpdateOptions) throws(ReadModelError) {
        (self.model, self.store, self.log, self.options) = (model, store, log, options)
        pending = model.makePending(cachedMax: options.cachedMax)
        position = try store.mark().position
        stored = position
    }

    /// Applies the next batch of events and commits it with its position.
    ///
    /// After a crash before the commit, the model has none of the batch's events; after a crash after the commit, it has all of them. A
    /// batch without an event for this model is committed only if ``UpdateOptions/unstoredMax`` events or more follow the stored position.
    ///
    /// - Parameter head: a position that is not beyond the log's head.
    /// - Throws: ``ReadModelError``, after which nothing of the batch is stored.
    @available(*, noasync)
    package mutating func advance(towards head: Position) throws(ReadModelError) {
        guard position < head else { return }
        let through = min(head.rawValue, position.rawValue + UInt64(options.eventsPerBatch))
        do {
            position = try commit(through: Position(through))
        } catch {
            throw ReadModelError(any: error, model: Model.name)
        }
    }

    /// Stores the position that the model has reached, if ``advance(towards:)`` did not store it.
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

    /// Applies one batch of events, and commits it.
    ///
    /// - Returns: the position of the last event that was read.
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

    /// Applies the events of one batch to `pending` and the transaction.
    ///
    /// - Returns: the position of the last scanned event, and the number of events that were applied.
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
            do {
                try model.apply(record, at: position, to: &pending, in: &transaction)
            } catch {
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

/// The limits of a batch, and of the caches between batches.
///
/// In the rebuild tool, batches are as large as the flag `--memory` permits, computed with `Projection.bytesPerChange`. Each batch changes
/// rows in all parts of a table and so writes most of the table's pages. So few large batches are best.
package struct UpdateOptions: Sendable {
    /// The maximum number of events scanned for one transaction, at least 1.
    package var eventsPerBatch: Int
    /// The number of changed entities at which a batch ends early, at least 1. It is compared every 64 applied events.
    package var changesPerBatch: Int
    /// The maximum number of decoded entities that are cached from one batch to the next.
    package var cachedMax: Int
    /// The number of consecutive events without effect on the model after which its position is stored; 0 to store it with every batch.
    package var unstoredMax: Int

    package init(eventsPerBatch: Int, changesPerBatch: Int = ProjectionLimits.changesPerBatch, cachedMax: Int, unstoredMax: Int = 0) {
        self.eventsPerBatch = max(1, eventsPerBatch)
        self.changesPerBatch = max(1, changesPerBatch)
        self.cachedMax = cachedMax
        self.unstoredMax = unstoredMax
    }

    /// The limits for following a log to which a server writes: short transactions and a small cache.
    package static let following = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBatch, cachedMax: ProjectionLimits.cachedMax,
        unstoredMax: ProjectionLimits.unstoredEvents)

    /// The limits for building a generation that no reader uses yet.
    package static let building = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBulkBatch, cachedMax: ProjectionLimits.cachedMaxInBulk)
}

/// Applies the log's events to a model, whose rows may be in LMDB or in another storage engine. A follower belongs to one thread. After an
/// error only ``settle()`` may still be called.
package protocol ModelFollower {
    /// The position that readers see. A restart continues at this position, or at an earlier one if no event between the two positions
    /// concerned the model.
    var position: Position { get }

    /// Applies some of the events after the model's position, and stores the result and the new position in one transaction.
    ///
    /// - Parameter head: a position that is not beyond the log's head.
    /// - Throws: ``ReadModelError``, after which nothing of the batch is stored.
    @available(*, noasync)
    mutating func advance(towards head: Position) throws(ReadModelError)

    /// Stores the position even if no recent event concerned this model, so that another process can continue from it.
    ///
    /// - Throws: ``ReadModelError``.
    @available(*, noasync)
    mutating func settle() throws(ReadModelError)
}

/// A set of event types with a fast test, which a scan makes at every record. For most types, the test reads one bit and computes no hash.
package struct TypeFilter: Sendable {
    /// One bit for each type with a number below 64. The most frequent types have such numbers.
    private let low: UInt64
    /// The types with numbers from 64 on.
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
