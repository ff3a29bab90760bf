package import Loyalty
internal import ReadModels

/// The expected content of the model `CardProgress`, folded from events that the caller passes one by one, so that the digest of this
/// content can be computed. A replay of the same events has the same content.
package struct FoldedCards: Sendable {
    private var numbers = ReplayedNumbers(capacity: 1_024)
    private var cards = ReplayedCards(capacity: 1_024)
    private var batch = ReplayBatch()

    package init() {}

    /// Applies the next event; an event that is not about a card changes nothing.
    ///
    /// - Throws: ``AuditError/Code/event`` for a card that was never opened, is opened again, or was opened by another account or at
    ///   another shop.
    package mutating func apply(_ fact: Fact) throws(AuditError) {
        guard fact.event.card != nil else { return }
        batch.append(fact)
        if let failure = numbers.resolve(&batch) { throw failure }
        try cards.apply(batch)
        batch.removeAll()
    }

    /// The digest of the model of card progress, after the events that were applied.
    package var digest: ModelDigest { ModelDigest(tables: cards.tables(CardOrders(numbers)), model: CardProgress.self) }
}

/// The cards of a replay, sorted as the models' tables need them. Each order is computed at its first use, and kept for later uses.
final class CardOrders: Sendable {
    /// The numbers that the replay gave to cards, shops and campaigns.
    let numbers: ReplayedNumbers
    private let ids = Once<[UInt32]>()
    private let holders = Once<[UInt32]>()
    private let presentHolders = Once<[UInt32]>()
    private let shops = Once<ShopOrder>()
    private let visitors = Once<CustomerOrder>()

    init(_ numbers: ReplayedNumbers) {
        self.numbers = numbers
    }

    /// The numbers of all cards, ordered by the cards' ids.
    var byID: [UInt32] {
        ids { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].id } }
    }

    /// The numbers of all cards, ordered by the id of the account that has the card now, and then by the time of opening.
    var byPresentHolder: [UInt32] {
        if numbers.takers.isEmpty { return byHolder }
        return presentHolders { RowOrder.places(numbers.cards.indices) { numbers.holder(of: $0) } }
    }

    /// The numbers of all cards, ordered by the id of the holder who opened the card, and then by the time of opening.
    var byHolder: [UInt32] {
        holders { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].holder } }
    }

    /// The cards, ordered by shop.
    var byShop: ShopOrder { shops { ShopOrder(numbers, byID) } }

    /// The customers of all shops, ordered by shop.
    var customers: CustomerOrder { visitors { CustomerOrder(numbers, byShop) } }
}
