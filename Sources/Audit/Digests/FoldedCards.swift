package import Loyalty
internal import ReadModels

/// Card progress that is folded from given events, for its digest. The state is the same as after a replay of these events.
package struct FoldedCards: Sendable {
    private var numbers = ReplayedNumbers(capacity: 1_024)
    private var cards = ReplayedCards(capacity: 1_024)
    private var batch = ReplayBatch()

    package init() {}

    /// Applies the next event; an event that is not about a card changes nothing.
    ///
    /// - Throws: ``AuditError/Code/event`` for a card that was never opened, or is opened again.
    package mutating func apply(_ fact: Fact) throws(AuditError) {
        guard fact.event.card != nil else { return }
        batch.append(fact)
        if let failure = numbers.resolve(&batch) { throw failure }
        try cards.apply(batch)
        batch.removeAll()
    }

    /// The digest of card progress in this state.
    package var digest: ModelDigest { ModelDigest(tables: cards.tables(CardOrders(numbers)), model: CardProgress.self) }
}

/// All cards of a replay in the orders that tables need. Each order is made at its first use and shared afterwards.
final class CardOrders: Sendable {
    /// The numbers that the replay gave to cards, shops and campaigns.
    let numbers: ReplayedNumbers
    private let ids = Once<[UInt32]>()
    private let holders = Once<[UInt32]>()
    private let shops = Once<ShopOrder>()
    private let visitors = Once<CustomerOrder>()

    init(_ numbers: ReplayedNumbers) {
        self.numbers = numbers
    }

    /// Numbers of cards, by their ids.
    var byID: [UInt32] {
        ids { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].id } }
    }

    /// Numbers of cards, ordered by holder and then by opening.
    var byHolder: [UInt32] {
        holders { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].holder } }
    }

    /// The cards, ordered by shop.
    var byShop: ShopOrder { shops { ShopOrder(numbers, byID) } }

    /// The customers with cards, ordered by shop.
    var customers: CustomerOrder { visitors { CustomerOrder(numbers, byShop) } }
}
