public import Loyalty

/// A review or a reply as it was posted.
public struct PostedReview: Hashable, Sendable {
    public let id: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The review at the root; itself for a review.
    public let thread: ReviewID
    /// What a reply answers; nil for a review.
    public let parent: ReviewID?
    /// 0 for a review, at most 8.
    public let depth: Int
    /// 1 to 5; nil for a reply, and for a review that only says something.
    public let rating: Int?
    /// Under the author's data key.
    public let text: Sealed?
    public let at: Instant
    /// Where in the log it stands.
    public let position: UInt64
    /// Taken down: neither rating nor text is left.
    public let isRemoved: Bool

    init(
        id: ReviewID,
        shop: ShopID,
        author: AccountID,
        thread: ReviewID,
        parent: ReviewID?,
        depth: Int,
        rating: Int?,
        text: Sealed?,
        at: Instant,
        position: UInt64,
        isRemoved: Bool = false
    ) {
        self.id = id
        self.shop = shop
        self.author = author
        self.thread = thread
        self.parent = parent
        self.depth = depth
        self.rating = rating
        self.text = text
        self.at = at
        self.position = position
        self.isRemoved = isRemoved
    }

    /// What is left of it once it was taken down.
    package var removed: PostedReview {
        PostedReview(
            id: id, shop: shop, author: author, thread: thread, parent: parent, depth: depth, rating: nil, text: nil, at: at,
            position: position, isRemoved: true)
    }

    /// What an event posted; nil for events that post nothing.
    package init?(_ fact: Fact) {
        switch fact.event {
        case .reviewPosted(let event):
            self.init(
                id: event.review, shop: event.shop, author: event.author, thread: event.review, parent: nil, depth: 0,
                rating: event.rating, text: event.text, at: fact.time, position: fact.position)
        case .replyPosted(let event):
            self.init(
                id: event.reply, shop: event.shop, author: event.author, thread: event.thread, parent: event.parent,
                depth: event.depth, rating: nil, text: event.text, at: fact.time, position: fact.position)
        default:
            return nil
        }
    }
}
