/// The end: nobody writes any more, everything has to be as the books have it.
extension Lane {
    /// Reads every card of this lane's customers.
    mutating func checkCards(_ countMax: Int) async throws {
        var left = countMax
        for customer in customers.indices {
            for card in customers[customer].books.values.flatMap(\.cards) where left > 0 {
                left -= 1
                let ask = Ask(method: .get, route: "check", path: "/v1/cards/\(card.id)")
                guard let shown: CardBody = content(try await send(ask, as: customer), 200, ask) else { continue }
                book(of: card.id, customer)?.check(shown, ledgers.violations)
            }
        }
    }

    /// Reads these shops' ratings.
    func checkRatings(of indices: [Int]) async throws {
        for index in indices {
            let ask = Ask(method: .get, route: "check", path: "/v1/shops/\(shops[index].id)")
            guard let page: ShopBody = content(try await caller.send(ask), 200, ask) else { continue }
            ledgers.ratings.check(page.rating, of: index, ledgers.violations)
        }
    }

    /// Cards and stamps that this lane's customers hold.
    var holdings: (cards: Int, stamps: Int) {
        let books = customers.flatMap(\.books.values)
        return (books.reduce(0) { $0 + $1.cards.count }, books.reduce(0) { $0 + $1.stamps })
    }
}
