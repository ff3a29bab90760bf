internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections

/// The rating of a shop, made of each account's latest. Integers only, so that it is the same on every machine.
public struct Rating: Hashable, Sendable {
    public internal(set) var count: Int
    public internal(set) var sum: Int
    /// The accounts that gave one star, two stars, up to five.
    public internal(set) var histogram: [Int]

    public static let none = Rating(count: 0, sum: 0, histogram: [0, 0, 0, 0, 0])

    public var average: Double? { count > 0 ? Double(sum) / Double(count) : nil }

    /// Adds an account's rating in place of its earlier one.
    package mutating func add(_ rating: Int, replacing earlier: Int?) {
        if let earlier {
            sum -= earlier
            histogram[earlier - 1] -= 1
        } else {
            count += 1
        }
        sum += rating
        histogram[rating - 1] += 1
    }

    /// Removes an account's rating. An earlier one counts again.
    mutating func remove(_ rating: Int, uncovering earlier: Int?) {
        sum -= rating
        histogram[rating - 1] -= 1
        count -= 1
        if let earlier { add(earlier, replacing: nil) }
    }
}

extension Rating: StoredRow {
    static let noun = "a shop's rating"

    private static let stars = 5

    /// Count, sum, and the histogram's five counts, each as u64.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        for number in [count, sum] + histogram { row.append(littleEndian: UInt64(number)) }
    }

    /// Nil also if the numbers contradict each other.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 8 * (2 + Self.stars), let count = Self.number(row, 0), let sum = Self.number(row, 1) else { return nil }
        self.init(count: count, sum: sum, histogram: [])
        var (counted, summed) = (0, 0)
        for star in 1...Self.stars {
            guard let number = Self.number(row, star + 1) else { return nil }
            histogram.append(number)
            counted += number
            summed += star * number
        }
        guard counted == count, summed == sum else { return nil }
    }

    static func text(_ row: Span<UInt8>) -> String? { Rating(row).map { "\($0.count) ratings, sum \($0.sum), histogram \($0.histogram)" } }

    /// Nil for a number that no shop can reach, so that sums of damaged bytes cannot overflow.
    private static func number(_ row: Span<UInt8>, _ place: Int) -> Int? {
        let number = row.littleEndian64(at: 8 * place)
        return number < 1 << 48 ? Int(number) : nil
    }
}

@available(*, noasync)
extension ShopRatings {
    func rate(_ stars: Int, _ review: PostedReview, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard Loyalty.Limits.rating.contains(stars) else { throw ReadModelError(.eventRefused, model: Self.name, "a rating of \(stars)") }
        let earlier = try newest(of: review, in: transaction)
        try change(review.shop, in: &transaction) { $0.add(stars, replacing: earlier?.stars) }
        try store.put(given, Self.key(of: review), [UInt8(stars)].span, in: &transaction)
    }

    /// Removes the text and rating of a review or reply. The row stays, because replies may refer to it. Returns the number of changed
    /// rows.
    func remove(_ event: ReviewRemoved, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        let key = RowKey(event.review.value)
        let known = try store.value(reviews, key, in: transaction) { (row) throws(ReadModelError) in try review(event.review, of: row) }
        guard let known, !known.isRemoved else {
            throw ReadModelError(.eventRefused, model: Self.name, "review \(event.review.text) is not there to be removed")
        }
        var row: [UInt8] = []
        ReviewRow.encode(known.removed, into: &row)
        try store.put(reviews, key, row.span, in: &transaction)
        guard let stars = known.rating else { return 1 }
        return 1 + (try unrate(stars, known, in: &transaction))
    }

    private func unrate(_ stars: Int, _ review: PostedReview, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        let counted = try newest(of: review, in: transaction)
        try store.delete(given, Self.key(of: review), in: &transaction)
        // The shop's rating does not contain one that a newer one has replaced.
        guard counted?.position == review.position else { return 1 }
        let earlier = try newest(of: review, in: transaction)
        try change(review.shop, in: &transaction) { $0.remove(stars, uncovering: earlier?.stars) }
        return 2
    }

    private func change(_ shop: ShopID, in transaction: inout WriteTransaction, _ body: (inout Rating) -> Void) throws(ReadModelError) {
        let key = RowKey(shop.value)
        var rating: Rating = try store.row(ratings, key, in: transaction) ?? .none
        body(&rating)
        guard rating.count > 0 else { return try store.delete(ratings, key, in: &transaction) }
        try store.put(ratings, key, rating, in: &transaction)
    }

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
