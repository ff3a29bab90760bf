public import LMDB
public import Loyalty
internal import LoyaltyCodec

@available(*, noasync)
extension ShopRatings {
    /// Everything goes straight into the transaction: reviews are rare, and a holder is written once.
    public func makePending(cachedMax: Int) {}

    /// Nothing ever waits.
    public func changes(in pending: borrowing Void) -> Int { 0 }

    /// Notes a holder, or takes in a review, a reply and the rating.
    public func apply(_ fact: Fact, to pending: inout Void, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if case .cardOpened(let event) = fact.event {
            return try hold(event, at: fact.position, in: &transaction)
        }
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

    private func rate(
        _ stars: Int, _ review: PostedReview, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        guard Loyalty.Limits.rating.contains(stars) else {
            throw ReadModelError(.eventRefused, model: Self.name, "a rating of \(stars)")
        }
        let account = RowKey(review.shop.value, and: review.author.value)
        let earlier = try store.value(latest, account, in: transaction) { (row) throws(ReadModelError) in
            try latestStars(of: row)
        }
        let shop = RowKey(review.shop.value)
        var rating =
            try store.value(ratings, shop, in: transaction) { (row) throws(ReadModelError) in
                try self.rating(of: row)
            } ?? .none
        rating.add(stars, replacing: earlier)
        var row: [UInt8] = []
        RatingRow.encode(rating, into: &row)
        try store.put(ratings, shop, row.span, in: &transaction)
        try store.put(latest, account, [UInt8(stars)].span, in: &transaction)
    }

    private func latestStars(of row: Span<UInt8>) throws(ReadModelError) -> Int {
        guard row.count == 1, Loyalty.Limits.rating.contains(Int(row[0])) else { throw store.damaged("a latest rating does not decode") }
        return Int(row[0])
    }
}
