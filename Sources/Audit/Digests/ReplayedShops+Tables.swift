internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

extension ReplayedRatings {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [
            ratingTable, givenTable, reviewTable,
            entryTable("shops", reviews.filter { $0.parent == nil }.map { ($0.shop.value, $0.position, $0.id) }),
            entryTable("replies", reviews.filter { $0.parent != nil }.map { ($0.thread.value, $0.position, $0.id) }),
            holderTable(cards),
        ]
    }

    private var ratingTable: CanonicalTable {
        CanonicalTable("ratings", ratings.sorted { $0.key < $1.key }) { rating, row in
            row.key = RowKey(rating.key)
            rating.value.encode(into: &row.value)
        }
    }

    private var givenTable: CanonicalTable {
        let rated = reviews.filter { $0.rating != nil }
            .sorted { ($0.shop, $0.author, $0.position) < ($1.shop, $1.author, $1.position) }
        return CanonicalTable("given", rated) { review, row in
            row.key = RowKey(review.shop.value, and: review.author.value, position: review.position)
            row.value = [UInt8(review.rating ?? 0)]
        }
    }

    private var reviewTable: CanonicalTable {
        CanonicalTable("reviews", reviews.sorted { $0.id < $1.id }) { review, row in
            row.key = RowKey(review.id.value)
            ReviewRow.encode(review, into: &row.value)
        }
    }

    private func holderTable(_ cards: CardOrders) -> CanonicalTable {
        let shops = cards.numbers.shops.ids
        return CanonicalTable("holders", cards.customers.customers) { customer, row in
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account), number: customer.position)
        }
    }

    /// A table of reviews by shop, or of replies by thread, each from the oldest to the newest.
    private func entryTable(_ name: String, _ entries: [(of: UInt128, position: UInt64, review: ReviewID)]) -> CanonicalTable {
        CanonicalTable(name, entries.sorted { ($0.of, $0.position) < ($1.of, $1.position) }) { entry, row in
            row.set(RowKey(entry.of, position: entry.position), id: entry.review.value)
        }
    }
}
