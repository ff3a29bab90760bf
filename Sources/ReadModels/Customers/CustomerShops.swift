internal import LMDB
internal import Loyalty
internal import Projections

@available(*, noasync)
extension Customers {
    func set(_ owner: AccountID, of shop: ShopID, _ transaction: inout WriteTransaction) throws(ReadModelError) {
        try store.put(owners, RowKey(shop.value), RowKey(owner.value).bytes, in: &transaction)
    }

    func owner(of shop: UInt128, _ transaction: borrowing WriteTransaction) throws(ReadModelError) -> UInt128? {
        try store.value(owners, RowKey(shop), in: transaction) { (row) throws(ReadModelError) in try store.id(row, "the owner of a shop") }
    }

    /// A sold shop and the shops of its former owner see each other's cards no longer. Visits stay.
    func endGuests(
        of shop: UInt128, _ pending: inout CustomerChanges, _ transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        try write(&pending, in: &transaction)
        for id in try cardsWithGuests(at: shop, transaction) {
            try change(CardID(id), &pending, transaction) { card in
                let isOwn = card?.shop == shop
                card?.guests.removeAll { isOwn || $0 == shop }
            }
            if pending.cards.count >= CustomerChanges.soldMax { try write(&pending, in: &transaction) }
        }
    }

    private func cardsWithGuests(at shop: UInt128, _ transaction: borrowing WriteTransaction) throws(ReadModelError) -> [UInt128] {
        var found: [UInt128] = []
        do {
            var cursor = try transaction.cursor(held)
            var goesOn = try cursor.seek(RowKey(shop).bytes)
            while goesOn, cursor.key.bigEndian128(at: 0) == shop {
                let id = try store.id(cursor.value, "a card of a customer")
                let card: CustomerCard? = try store.row(cards, RowKey(id), in: transaction)
                if card?.guests.isEmpty == false { found.append(id) }
                goesOn = try cursor.next()
            }
        } catch {
            throw store.wrapped(error)
        }
        return found
    }
}
