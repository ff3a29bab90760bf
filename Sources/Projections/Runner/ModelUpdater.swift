package import EventLog
internal import LMDB

/// Advances one model, batch by batch. The same code follows the head and rebuilds a model.
///
/// An updater belongs to one thread. After an error only ``settle()`` may still be called, because `pending` may hold changes of a
/// transaction that was dropped.
///
/// If no event of a batch concerns the model, the model's position is stored only once in 4,096 events and at a stop. After a crash the
/// updater scans those events again.
///
/// The loop is a static function that gets its parts as arguments. An access to a field of a generic value through an existential asks the
/// runtime for the type, because nothing specializes it; that took a fifth of a rebuild.
package struct ModelUpdater<Model: Projection>: ModelFollower {
    private let model: Model
    private let store: ModelStore
    private let log: EventLog
    private let options: UpdateOptions
    private let wanted = TypeFilter(Model.eventTypes)
    private var pending: Model.Pending

    /// The position that the model has reached. It may not be stored yet if no recent event concerned the model.
    package private(set) var position: Position
    /// The position from which a restart resumes.
    private var stored: Position
    /// The number of events applied by this updater, not counting those of other types.
    package private(set) var applied = 0

    package init(_ model: Model, in store: ModelStore, log: EventLog, options: UpdateOptions) throws(ReadModelError) {
        (self.model, self.store, self.log, self.options) = (model, store, log, options)
        pending = model.makePending(cachedMax: options.cachedMax)
        position = try store.mark().position
        stored = position
    }

    /// Applies the next batch of events and commits it with its position.
    ///
    /// A crash before the commit leaves the model at the position before the batch, a crash after it at the position after the batch. A
    /// batch without an event for this model is not committed, unless ``UpdateOptions/unstoredMax`` events have passed.
    ///
    /// - Parameter head: a position that is not beyond the log's head.
    /// - Throws: ``ReadModelError``, with nothing of the batch stored.
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

    /// Applies and commits one batch.
    ///
    /// - Returns: the position of the last event read.
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
    /// - Returns: the position of the last scanned event, and how many events were applied.
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

/// The limits of a batch, and of what is kept between batches.
///
/// During a rebuild, batches are as large as `--memory` permits, by `Projection.bytesPerChange`: each batch changes rows all over a table,
/// and so rewrites most of its pages.
package struct UpdateOptions: Sendable {
    /// Events scanned per transaction, at least 1.
    package var eventsPerBatch: Int
    /// The number of changed entities that ends a batch early, at least 1.
    package var changesPerBatch: Int
    /// The number of decoded entities kept from one batch to the next.
    package var cachedMax: Int
    /// The number of events that do not concern the model and may pass before its position is stored; 0 to store the position with every
    /// batch.
    package var unstoredMax: Int

    package init(eventsPerBatch: Int, changesPerBatch: Int = ProjectionLimits.changesPerBatch, cachedMax: Int, unstoredMax: Int = 0) {
        self.eventsPerBatch = max(1, eventsPerBatch)
        self.changesPerBatch = max(1, changesPerBatch)
        self.cachedMax = cachedMax
        self.unstoredMax = unstoredMax
    }

    /// The limits for following a live log: short transactions, a small cache.
    package static let following = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBatch, cachedMax: ProjectionLimits.cachedMax,
        unstoredMax: ProjectionLimits.unstoredEvents)

    /// The limits for building a generation that has no readers yet.
    package static let building = UpdateOptions(
        eventsPerBatch: ProjectionLimits.eventsPerBulkBatch, cachedMax: ProjectionLimits.cachedMaxInBulk)
}

/// Advances a model along the log, wherever its rows are stored. It belongs to one thread. After an error only ``settle()`` may still be
/// called.
package protocol ModelFollower {
    /// The position that readers see. A restart resumes there, or at an earlier position if no event since then concerned the model.
    var position: Position { get }

    /// Applies some of the following events, and stores the result with its position in one transaction.
    ///
    /// - Parameter head: a position that is not beyond the log's head.
    /// - Throws: ``ReadModelError``, with nothing of the batch stored.
    @available(*, noasync)
    mutating func advance(towards head: Position) throws(ReadModelError)

    /// Persists the position even if no recent event concerned this model, so that another process can resume.
    ///
    /// - Throws: ``ReadModelError``.
    @available(*, noasync)
    mutating func settle() throws(ReadModelError)
}

/// A set of event types, tested for every record of a scan with one bit instead of a hash.
package struct TypeFilter: Sendable {
    /// The types below 64, which includes all current ones.
    private let low: UInt64
    /// The types from 64 on.
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
