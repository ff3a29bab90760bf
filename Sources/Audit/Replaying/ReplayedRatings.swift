internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Everything that customers said about shops in memory, folded from the log: what `ShopRatings` must hold.
///
/// Kept plainer than the model on purpose: only what each event says. Shops' ratings are counted from it at the end, so that
/// the model's running totals are checked against another way of getting them.
struct ReplayedRatings {
    /// A shop and an account.
    struct Pair: Hashable, Comparable {
        let shop: UInt128
        let account: UInt128

        static func < (left: Pair, right: Pair) -> Bool {
            left.shop == right.shop ? left.account < right.account : left.shop < right.shop
        }
    }

    /// Position of the first card.
    private(set) var holders: [Pair: UInt64] = [:]
    private(set) var latest: [Pair: UInt8] = [:]
    private(set) var reviews: [PostedReview] = []
    private var known: Set<ReviewID> = []

    mutating func apply(_ record: borrowing Record, at position: Position) throws {
        let fact = try LoyaltyCodec.decode(record, at: position)
        if case .cardOpened(let event) = fact.event {
            let pair = Pair(shop: event.shop.value, account: event.holder.value)
            if holders[pair] == nil { holders[pair] = fact.position }
        } else if let review = PostedReview(fact) {
            try post(review)
        }
    }

    private mutating func post(_ review: PostedReview) throws {
        guard known.insert(review.id).inserted else {
            throw AuditError(
                .event, "review \(review.id.text) is posted a second time.", position: Position(review.position),
                remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
        }
        reviews.append(review)
        if let rating = review.rating {
            latest[Pair(shop: review.shop.value, account: review.author.value)] = UInt8(rating)
        }
    }

    /// Every shop's rating, counted from the latest one of each account.
    var ratings: [UInt128: Rating] {
        var ratings: [UInt128: Rating] = [:]
        for (pair, stars) in latest { ratings[pair.shop, default: .none].add(Int(stars), replacing: nil) }
        return ratings
    }
}
