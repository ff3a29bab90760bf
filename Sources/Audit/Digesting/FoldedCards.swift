package import Loyalty
internal import ReadModels

/// Card progress folded from events that somebody hands in, for its digest: the state is that of a replay of the same events.
package struct FoldedCards: Sendable {
    private var numbers = ReplayedNumbers(capacity: 1_024)
    private var cards = ReplayedCards(capacity: 1_024)
    private var batch = ReplayBatch()

    package init() {}

    /// Takes the next event; one that is about no card changes nothing.
    ///
    /// - Throws: ``AuditError/Code/event`` for a card that was never opened, or is opened again.
    package mutating func apply(_ fact: Fact) throws(AuditError) {
        guard fact.event.card != nil else { return }
        batch.append(fact)
        if let failure = numbers.resolve(&batch) { throw failure }
        try cards.apply(batch)
        batch.removeAll()
    }

    /// What a replay's digest of card progress would be.
    package var digest: ModelDigest { ModelDigest(tables: cards.tables(CardOrders(numbers)), model: CardProgress.self) }
}
