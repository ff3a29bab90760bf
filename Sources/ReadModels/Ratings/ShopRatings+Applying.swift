public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension ShopRatings {
    /// Everything goes straight into the transaction: reviews are rare, and a holder is written once.
    public func makePending(cachedMax: Int) {}

    /// Nothing ever waits.
    public func changes(in pending: borrowing Void) -> Int { 0 }

    /// Notes a holder, takes in a review, a reply and the rating, or takes one back.
    public func apply(_ fact: Fact, to pending: inout Void, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            return try hold(event, at: fact.position, in: &transaction)
        }
        if case .reviewRemoved(let event) = fact.event { return try remove(event, in: &transaction) }
        guard let review = PostedReview(fact) else { return }
        try post(review, in: &transaction)
        if let rating = review.rating { try rate(rating, review, in: &transaction) }
    }

    /// Nothing is left to write.
    public func flush(_ pending: inout Void, in transaction: inout WriteTransaction) throws(ReadModelError) {}

    private func hold(
        _ event: CardOpened, at position: UInt64, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        let key = RowKey(event.shop.value, and: event.holder.value)
        guard try !store.has(holders, key, in: transaction) else { return }
        var row: [UInt8] = []
        row.append(littleEndian: position)
        try store.put(holders, key, row.span, in: &transaction)
    }

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
