/// How a model is brought forward: what bounds a batch, and what is kept between batches.
package struct UpdateOptions: Sendable {
    /// Events scanned per transaction, at least 1.
    package var eventsPerBatch: Int
    /// Changed entities after which a batch ends sooner, at least 1.
    package var changesPerBatch: Int
    /// Entities kept decoded from one batch to the next.
    package var cachedMax: Int
    /// Events that may go by without one for the model before its position is stored; 0 to store it with every batch.
    package var unstoredMax: Int

    package init(eventsPerBatch: Int, changesPerBatch: Int = ReadModelLimits.changesPerBatch, cachedMax: Int, unstoredMax: Int = 0) {
        self.eventsPerBatch = max(1, eventsPerBatch)
        self.changesPerBatch = max(1, changesPerBatch)
        self.cachedMax = cachedMax
        self.unstoredMax = unstoredMax
    }

    /// Behind a live log: short transactions, a small cache.
    package static let following = UpdateOptions(
        eventsPerBatch: ReadModelLimits.eventsPerBatch, cachedMax: ReadModelLimits.cachedCards,
        unstoredMax: ReadModelLimits.unstoredEvents)

    /// Building a generation that nobody reads yet.
    package static let building = UpdateOptions(
        eventsPerBatch: ReadModelLimits.eventsPerBulkBatch, cachedMax: ReadModelLimits.cachedCardsInBulk)
}
