public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension ShopRatings {
    /// First cards that are not in the rows yet, by shop and account. Reviews are rare, and go straight into the transaction.
    public func makePending(cachedMax: Int) -> FirstPositions { FirstPositions() }

    /// How many rows will be written, at most.
    public func changes(in pending: borrowing FirstPositions) -> Int { pending.count }

    /// Notes a holder, takes in a review, a reply and the rating, or takes one back.
    public func apply(_ fact: Fact, to pending: inout FirstPositions, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            return pending.note(event.shop.value, event.holder.value, at: fact.position)
        }
        if case .reviewRemoved(let event) = fact.event { return try remove(event, in: &transaction) }
        guard let review = PostedReview(fact) else { return }
        try post(review, in: &transaction)
        if let rating = review.rating { try rate(rating, review, in: &transaction) }
    }

    /// New cards are nearly all that there is to note, and need no decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout FirstPositions, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        guard let card = OpenedCard(record) else { return false }
        pending.note(card.shop, card.holder, at: position.rawValue)
        return true
    }

    /// Writes who holds cards, in key order.
    public func flush(_ pending: inout FirstPositions, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard pending.count > 0 else { return }
        var rows = try store.writer(holders, in: &transaction)
        try pending.flush(into: &rows)
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
