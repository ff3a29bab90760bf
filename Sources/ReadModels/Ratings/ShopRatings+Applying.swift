public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension ShopRatings {
    /// Everything goes straight into the transaction: reviews are rare, and a holder is written once.
    public func makePending(cachedMax: Int) -> DirectChanges { DirectChanges() }

    /// Rows whose pages wait for the commit.
    public func changes(in pending: borrowing DirectChanges) -> Int { pending.rows }

    /// Notes a holder, takes in a review, a reply and the rating, or takes one back.
    public func apply(
        _ fact: Fact, to pending: inout DirectChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            if try hold(event, at: fact.position, in: &transaction) { pending.rows += 1 }
            return
        }
        if case .reviewRemoved(let event) = fact.event {
            pending.rows += try remove(event, in: &transaction)
            return
        }
        guard let review = PostedReview(fact) else { return }
        try post(review, in: &transaction)
        pending.rows += 2
        guard let rating = review.rating else { return }
        try rate(rating, review, in: &transaction)
        pending.rows += 2
    }

    /// Everything is written already.
    public func flush(_ pending: inout DirectChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.rows = 0
    }

    /// - Returns: whether there was no such row yet.
    private func hold(
        _ event: CardOpened, at position: UInt64, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        let key = RowKey(event.shop.value, and: event.holder.value)
        guard try !store.has(holders, key, in: transaction) else { return false }
        var row: [UInt8] = []
        row.append(littleEndian: position)
        try store.put(holders, key, row.span, in: &transaction)
        return true
    }

    /// Two rows: the review, and its place in its shop or its thread.
    private func post(_ review: PostedReview, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let key = RowKey(review.id.value)
        guard try !store.has(reviews, key, in: transaction) else {
            throw ReadModelError(.eventRefused, model: Self.name, "review \(review.id.text) is posted a second time")
        }
        var row: [UInt8] = []
        ReviewRow.encode(review, into: &row)
        try store.put(reviews, key, row.span, in: &transaction)
        if review.parent == nil {
            try store.put(shops, RowKey(review.shop.value, position: review.position), key.bytes, in: &transaction)
        } else {
            try store.put(replies, RowKey(review.thread.value, position: review.position), key.bytes, in: &transaction)
        }
    }
}
