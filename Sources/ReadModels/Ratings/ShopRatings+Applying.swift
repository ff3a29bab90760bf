public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension ShopRatings {
    /// Nothing changed yet.
    public func makePending(cachedMax: Int) -> RatingChanges { RatingChanges() }

    /// How many rows will be written, at most, and how many were whose pages wait for the commit.
    public func changes(in pending: borrowing RatingChanges) -> Int { pending.count }

    /// Notes a holder, takes in a review, a reply and the rating, or takes one back.
    public func apply(_ fact: Fact, to pending: inout RatingChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            return pending.holders.note(event.shop.value, event.holder.value, at: fact.position)
        }
        if case .reviewRemoved(let event) = fact.event {
            pending.written += try remove(event, in: &transaction)
            return
        }
        guard let review = PostedReview(fact) else { return }
        try post(review, in: &transaction)
        pending.written += 2
        guard let rating = review.rating else { return }
        try rate(rating, review, in: &transaction)
        pending.written += 2
    }

    /// New cards are nearly all that there is to note, and need no decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout RatingChanges, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let card = OpenedCard(record) else { return false }
        pending.holders.note(card.shop, card.holder, at: position.rawValue)
        return true
    }

    /// Writes who holds cards, in key order.
    public func flush(_ pending: inout RatingChanges, in transaction: inout WriteTransaction) throws(ReadModelError) {
        pending.written = 0
        guard pending.holders.count > 0 else { return }
        var rows = try store.writer(holders, in: &transaction)
        try pending.holders.flush(into: &rows)
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
