package import Loyalty
internal import ReadModels

/// The expected content of `CardProgress`, folded event by event.
package struct FoldedCards: Sendable {
    private var numbers = ReplayedNumbers(capacity: 1_024)
    private var cards = ReplayedCards(capacity: 1_024)
    private var batch = ReplayBatch()

    package init() {}

    /// - Throws: ``AuditError/Code/event`` for a card that was never opened, is opened again, or has another holder or shop.
    package mutating func apply(_ fact: Fact) throws(AuditError) {
        guard fact.event.card != nil else { return }
        batch.append(fact)
        if let failure = numbers.resolve(&batch) { throw failure }
        try cards.apply(batch)
        batch.removeAll()
    }

    /// The digest of the model of card progress.
    package var digest: ModelDigest { ModelDigest(tables: cards.tables(CardOrders(numbers)), model: CardProgress.self) }
}

/// The cards of a replay in the orders that tables need, each computed at its first use.
final class CardOrders: Sendable {
    let numbers: ReplayedNumbers
    private let ids = Once<[UInt32]>()
    private let holders = Once<[UInt32]>()
    private let presentHolders = Once<[UInt32]>()
    private let shops = Once<ShopOrder>()
    private let visitors = Once<CustomerOrder>()

    init(_ numbers: ReplayedNumbers) { self.numbers = numbers }

    var byID: [UInt32] { ids { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].id } } }

    /// The cards of one holder are in the order of opening.
    var byPresentHolder: [UInt32] {
        if numbers.takers.isEmpty { return byHolder }
        return presentHolders { RowOrder.places(numbers.cards.indices) { numbers.holder(of: $0) } }
    }

    /// The cards of one holder are in the order of opening.
    var byHolder: [UInt32] { holders { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].holder } } }

    var byShop: ShopOrder { shops { ShopOrder(numbers, byID) } }

    var customers: CustomerOrder { visitors { CustomerOrder(numbers, byShop) } }
}
