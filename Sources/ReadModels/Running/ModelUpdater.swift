package import EventLog
internal import LMDB
internal import LoyaltyCodec

/// Brings one model forward, batch by batch: the same code follows the head and builds a model anew.
///
/// It belongs to one thread. After an error it is of no use: `pending` may hold what the dropped transaction did not.
package struct ModelUpdater<Model: Projection>: ModelFollower {
    private let model: Model
    private let store: ModelStore
    private let log: EventLog
    private let options: UpdateOptions
    private let wanted = TypeFilter(Model.eventTypes)
    private var pending: Model.Pending

    /// How far the model has come: stored, but for what does not concern it.
    package private(set) var position: Position
    /// Where a restart goes on.
    private var stored: Position
    /// Events applied by this updater, those of other types not counted.
    package private(set) var applied = 0

    package init(_ model: Model, in store: ModelStore, log: EventLog, options: UpdateOptions) throws(ReadModelError) {
        (self.model, self.store, self.log, self.options) = (model, store, log, options)
        pending = model.makePending(cachedMax: options.cachedMax)
        position = try store.mark().position
        stored = position
    }

    /// Applies one batch of what follows and commits it with its position.
    ///
    /// A crash before the commit leaves the model at the position before, after it at the new one; never between. A batch without an
    /// event for this model is not committed, unless many have gone by: a stamp costs most models a look at its type.
    ///
    /// - Parameter head: not beyond the log's.
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

    /// Stores how far it has come, where that was left.
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

    /// - Returns: the last event that was looked at.
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

    /// Static and with everything handed in: each look at a field of a generic value asks the runtime where it is, which was a fifth
    /// of the time here.
    ///
    /// - Returns: the last event that was looked at, and how many were applied.
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
                if try !model.applyUndecoded(record, at: position, to: &pending, in: &transaction) {
                    try model.apply(try LoyaltyCodec.decode(record, at: position), to: &pending, in: &transaction)
                }
            } catch {
                throw ReadModelError(any: error, model: Model.name, at: position, of: record.type, in: log)
            }
            count += 1
            return count % ReadModelLimits.eventsPerLook != 0 || model.changes(in: pending) < changesMax
        }
        guard reached > after else { throw missing(after.next) }
        return (reached, count)
    }

    private static func missing(_ position: Position) -> ReadModelError {
        ReadModelError(.log, model: Model.name, position: position, "the log has no event there")
    }
}
