internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The ratings of shops: the ratings in a snapshot, and those given after the snapshot.
///
/// A shop's rating contains the latest rating of each account. If the review with that rating is removed, the account's latest remaining
/// rating replaces it.
struct PastRatings {
    private struct Pair: Hashable {
        let shop: ShopID
        let account: AccountID
    }

    private struct Given {
        let position: UInt64
        let stars: Int
    }

    private let base: PastSnapshot?
    private(set) var ratings: [ShopID: PastRating] = [:]
    private var given: [Pair: [Given]] = [:]
    private var reviews: [ReviewID: PostedReview] = [:]

    /// Reads the ratings of a snapshot.
    ///
    /// - Parameter shop: the only shop to read; nil for all.
    init(over base: PastSnapshot?, of shop: ShopID?) throws(SnapshotFault) {
        self.base = base
        guard let table = try base?.table(ShopRatings.self, "ratings") else { return }
        var found: [ShopID: PastRating] = [:]
        try table.forEach(under: shop.map { RowKey($0.value).array } ?? []) { (key, row) throws(SnapshotFault) in
            guard let rating = Rating(row) else { throw .changed("a shop's rating") }
            found[ShopID(key.bigEndian128(at: 0))] = PastRating(stars: rating.histogram)
        }
        ratings = found
    }

    mutating func apply(_ fact: Fact) throws(SnapshotFault) {
        if case .reviewRemoved(let event) = fact.event { return try remove(event.review) }
        guard let review = PostedReview(fact), let stars = review.rating else { return }
        reviews[review.id] = review
        try change(review) { $0.append(Given(position: review.position, stars: stars)) }
    }

    private mutating func remove(_ id: ReviewID) throws(SnapshotFault) {
        var known = reviews[id]
        if known == nil { known = try stored(id) }
        guard let review = known, review.rating != nil else { return }
        try change(review) { given in given.removeAll { $0.position == review.position } }
    }

    private mutating func change(_ review: PostedReview, _ body: (inout [Given]) -> Void) throws(SnapshotFault) {
        let pair = Pair(shop: review.shop, account: review.author)
        var list = if let known = given[pair] { known } else { try stored(pair) }
        var rating = ratings[review.shop] ?? .none
        if let old = list.last { rating.stars[old.stars - 1] -= 1 }
        body(&list)
        if let new = list.last { rating.stars[new.stars - 1] += 1 }
        given[pair] = list
        ratings[review.shop] = rating.count > 0 ? rating : nil
    }

    private func stored(_ pair: Pair) throws(SnapshotFault) -> [Given] {
        guard let table = try base?.table(ShopRatings.self, "given") else { return [] }
        var list: [Given] = []
        let prefix = RowKey(pair.shop.value, and: pair.account.value).array
        try table.forEach(under: prefix) { (key, row) throws(SnapshotFault) in
            guard row.count == 1, (1...5).contains(row[0]) else { throw .changed("a rating") }
            let position = UInt64(truncatingIfNeeded: key.bigEndian128(at: 24))
            list.append(Given(position: position, stars: Int(row[0])))
        }
        return list
    }

    private func stored(_ id: ReviewID) throws(SnapshotFault) -> PostedReview? {
        guard let row = try base?.table(ShopRatings.self, "reviews").value(of: RowKey(id.value).array) else { return nil }
        guard let review = ReviewRow.decode(row.span, id: id) else { throw .changed("a review") }
        return review
    }
}

/// A shop's ratings: the number of ratings with one star, two stars, … five stars.
struct PastRating: Hashable {
    static let none = PastRating(stars: [0, 0, 0, 0, 0])

    var stars: [Int]

    var count: Int { stars.reduce(0, +) }

    /// The average with two decimals; nil without ratings.
    private var average: Double? {
        let sum = zip(stars, 1...).reduce(0) { $0 + $1.0 * $1.1 }
        return count > 0 ? (Double(sum) * 100 / Double(count)).rounded() / 100 : nil
    }

    var fields: [PastField] {
        [
            .number("count", count), PastField("average", average.map { .decimal($0) } ?? .none),
            PastField("stars", .list(stars.map { .number($0) })),
        ]
    }
}
