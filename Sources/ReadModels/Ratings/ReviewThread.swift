public import Loyalty

/// A review or a reply with everything that answers it.
public struct ReviewThread: Hashable, Sendable {
    public let review: PostedReview
    /// Whether the author holds, or has held, a card at the shop.
    public let isVerified: Bool
    /// The oldest first, each with its own.
    public internal(set) var replies: [ReviewThread]

    public var id: ReviewID { review.id }
    public var shop: ShopID { review.shop }
    public var author: AccountID { review.author }
    /// 1 to 5; nil for a reply, and for a review that only says something.
    public var rating: Int? { review.rating }
    /// Under the author's data key.
    public var text: Sealed? { review.text }
    /// Taken down: it is shown without words for the sake of what answers it.
    public var isRemoved: Bool { review.isRemoved }
    /// Whether there is anything to show.
    var isShown: Bool { !isRemoved || !replies.isEmpty }
    public var at: Instant { review.at }
    /// Where in the log it stands.
    public var position: UInt64 { review.position }

    init(review: PostedReview, isVerified: Bool, replies: [ReviewThread] = []) {
        self.review = review
        self.isVerified = isVerified
        self.replies = replies
    }
}
