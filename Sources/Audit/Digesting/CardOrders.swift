internal import ReadModels

/// All cards of a replay in the orders that tables want, each made when it is first asked for and shared from then on.
final class CardOrders: Sendable {
    /// Who has which number.
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

    /// Numbers of cards, by their holders, each one's in the order of opening.
    var byHolder: [UInt32] {
        holders { RowOrder.places(numbers.cards.indices) { numbers.cards[$0].holder } }
    }

    /// Cards shop by shop.
    var byShop: ShopOrder { shops { ShopOrder(numbers, byID) } }

    /// Who has cards, shop by shop.
    var customers: CustomerOrder { visitors { CustomerOrder(numbers, byShop) } }
}
