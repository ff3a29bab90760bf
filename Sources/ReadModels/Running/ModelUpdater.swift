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

    /// How far the model has come; stored.
    package private(set) var position: Position
    /// Events applied by this updater, those of other types not counted.
    package private(set) var applied = 0

    package init(_ model: Model, in store: ModelStore, log: EventLog, options: UpdateOptions) throws(ReadModelError) {
        (self.model, self.store, self.log, self.options) = (model, store, log, options)
        pending = model.makePending(cachedMax: options.cachedMax)
        position = try store.mark().position
    }

    /// Applies one batch of what follows and commits it with its position.
    ///
    /// A crash before the commit leaves the model at the position before, after it at the new one; never between.
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

    /// - Returns: the last event that was looked at, now stored as the model's position.
    @available(*, noasync)
    private mutating func commit(through: Position) throws -> Position {
        let environment = store.environment
        var transaction = try environment.write()
        let (reached, count) = try Self.apply(
            model, wanted, log, after: position, through: through, changesMax: options.changesPerBatch, to: &pending, in: &transaction)
        applied += count
        try model.flush(&pending, in: &transaction)
        guard let mark = try ModelMark(reached, in: log) else { throw Self.missing(reached) }
        try store.put(mark, in: &transaction)
        try transaction.commit()
        return reached
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
