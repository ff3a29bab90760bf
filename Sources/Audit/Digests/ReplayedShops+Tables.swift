internal import LMDB
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
        let ratings = ratings.sorted { $0.key < $1.key }
        return CanonicalTable("ratings", count: ratings.count) { (index, row) in
            row.key = RowKey(ratings[index].key)
            ratings[index].value.encode(into: &row.value)
        }
    }

    private var givenTable: CanonicalTable {
        let rated = reviews.filter { $0.rating != nil }
            .sorted { ($0.shop, $0.author, $0.position) < ($1.shop, $1.author, $1.position) }
        return CanonicalTable("given", count: rated.count) { (index, row) in
            let review = rated[index]
            row.key = RowKey(review.shop.value, and: review.author.value, position: review.position)
            row.value = [UInt8(review.rating ?? 0)]
        }
    }

    private var reviewTable: CanonicalTable {
        let reviews = reviews.sorted { $0.id < $1.id }
        return CanonicalTable("reviews", count: reviews.count) { (index, row) in
            row.key = RowKey(reviews[index].id.value)
            ReviewRow.encode(reviews[index], into: &row.value)
        }
    }

    private func holderTable(_ cards: CardOrders) -> CanonicalTable {
        let (customers, shops) = (cards.customers.customers, cards.numbers.shops.ids)
        return CanonicalTable("holders", count: customers.count) { (index, row) in
            let customer = customers[index]
            row.set(RowKey(shops[Int(customer.shop)], and: customer.account), number: customer.position)
        }
    }

    /// A table of reviews by shop, or of replies by thread, each from the oldest to the newest.
    private func entryTable(_ name: String, _ unsorted: [(of: UInt128, position: UInt64, review: ReviewID)]) -> CanonicalTable {
        let entries = unsorted.sorted { ($0.of, $0.position) < ($1.of, $1.position) }
        return CanonicalTable(name, count: entries.count) { (index, row) in
            let entry = entries[index]
            row.set(RowKey(entry.of, position: entry.position), id: entry.review.value)
        }
    }
}
