internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `ShopRatings`, folded from the log in memory. It computes the ratings only at the end, to check the model's
/// running totals.
struct ReplayedRatings: ReplayedModel {
    static var model: any Projection.Type { ShopRatings.self }

    private(set) var reviews: [PostedReview] = []
    private var places: [ReviewID: Int] = [:]

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events where event.kind == .decoded { try apply(batch.facts[event.place]) }
    }

    private mutating func apply(_ fact: Fact) throws(AuditError) {
        if case .reviewRemoved(let event) = fact.event {
            try remove(event.review, at: fact.position)
        } else if let review = PostedReview(fact) {
            try post(review)
        }
    }

    private mutating func remove(_ review: ReviewID, at position: UInt64) throws(AuditError) {
        guard let place = places[review], !reviews[place].isRemoved else {
            throw .refused("review \(review.text) is not there to be removed.", at: position)
        }
        reviews[place] = reviews[place].removed
    }

    private mutating func post(_ review: PostedReview) throws(AuditError) {
        guard places[review.id] == nil else {
            throw .refused("review \(review.id.text) is posted a second time.", at: review.position)
        }
        places[review.id] = reviews.count
        reviews.append(review)
    }

    /// By shop and account, without removed ratings.
    var latest: KeyMap<PairKey, Int> {
        var latest = KeyMap<PairKey, Int>()
        for review in reviews {
            if let rating = review.rating { latest[PairKey(review.shop.value, review.author.value)] = rating }
        }
        return latest
    }

    /// From the latest rating of each account.
    var ratings: [UInt128: Rating] {
        var ratings: [UInt128: Rating] = [:]
        for (pair, stars) in latest.entries { ratings[pair.first, default: .none].add(stars, replacing: nil) }
        return ratings
    }
}
