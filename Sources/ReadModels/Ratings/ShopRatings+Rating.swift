internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// How ratings are counted and taken back.
@available(*, noasync)
extension ShopRatings {
    /// Counts a rating in place of the account's earlier one: two rows, the rating that was given and the shop's.
    func rate(_ stars: Int, _ review: PostedReview, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard Loyalty.Limits.rating.contains(stars) else {
            throw ReadModelError(.eventRefused, model: Self.name, "a rating of \(stars)")
        }
        let earlier = try newest(of: review, in: transaction)
        try change(review.shop, in: &transaction) { $0.add(stars, replacing: earlier?.stars) }
        try store.put(given, Self.key(of: review), [UInt8(stars)].span, in: &transaction)
    }

    /// Takes a review or a reply down: its words and its rating are gone, its place stays for what answers it.
    ///
    /// - Returns: rows that were changed.
    func remove(_ event: ReviewRemoved, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        let key = RowKey(event.review.value)
        let known = try store.value(reviews, key, in: transaction) { (row) throws(ReadModelError) in
            guard let review = ReviewRow.decode(row, id: event.review) else {
                throw store.damaged("the row of review \(event.review.text) does not decode")
            }
            return review
        }
        guard let known, !known.isRemoved else {
            throw ReadModelError(.eventRefused, model: Self.name, "review \(event.review.text) is not there to be removed")
        }
        var row: [UInt8] = []
        ReviewRow.encode(known.removed, into: &row)
        try store.put(reviews, key, row.span, in: &transaction)
        guard let stars = known.rating else { return 1 }
        return 1 + (try unrate(stars, known, in: &transaction))
    }

    /// - Returns: rows that were changed.
    private func unrate(
        _ stars: Int, _ review: PostedReview, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Int {
        let counted = try newest(of: review, in: transaction)
        try store.delete(given, Self.key(of: review), in: &transaction)
        // One that was replaced already counts no more.
        guard counted?.position == review.position else { return 1 }
        let earlier = try newest(of: review, in: transaction)
        try change(review.shop, in: &transaction) { $0.remove(stars, uncovering: earlier?.stars) }
        return 2
    }

    /// Changes a shop's rating; without any there is no row.
    private func change(
        _ shop: ShopID, in transaction: inout WriteTransaction, _ body: (inout Rating) -> Void
    ) throws(ReadModelError) {
        let key = RowKey(shop.value)
        let stored = try store.value(ratings, key, in: transaction) { (row) throws(ReadModelError) in try self.rating(of: row) }
        var rating = stored ?? .none
        body(&rating)
        guard rating.count > 0 else { return try store.delete(ratings, key, in: &transaction) }
        var row: [UInt8] = []
        RatingRow.encode(rating, into: &row)
        try store.put(ratings, key, row.span, in: &transaction)
    }

    /// The author's rating of the shop that counts now.
    private func newest(
        of review: PostedReview, in transaction: borrowing WriteTransaction
    ) throws(ReadModelError) -> (position: UInt64, stars: Int)? {
        let bound = RowKey(review.shop.value, and: review.author.value, position: .max)
        return try store.newest(given, before: bound, in: transaction) { (position, row) throws(ReadModelError) in
            (position, try stars(of: row))
        }
    }

    private func stars(of row: Span<UInt8>) throws(ReadModelError) -> Int {
        guard row.count == 1, Loyalty.Limits.rating.contains(Int(row[0])) else { throw store.damaged("a rating does not decode") }
        return Int(row[0])
    }

    private static func key(of review: PostedReview) -> RowKey {
        RowKey(review.shop.value, and: review.author.value, position: review.position)
    }
}
