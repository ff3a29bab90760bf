internal import LMDB
public import Loyalty
internal import Projections

/// A review or a reply with all replies below it.
public struct ReviewThread: Hashable, Sendable {
    public let review: PostedReview
    /// Whether the author has a card at the shop, or had one.
    public let isVerified: Bool
    /// The replies, oldest first, each with its own replies.
    public internal(set) var replies: [ReviewThread]

    public var id: ReviewID { review.id }
    public var shop: ShopID { review.shop }
    public var author: AccountID { review.author }
    /// The rating, 1 to 5; nil for a reply, and for a review without a rating.
    public var rating: Int? { review.rating }
    /// The text, sealed under the author's data key; nil if there is none.
    public var text: Sealed? { review.text }
    /// Whether the review or reply was removed. A removed one is listed only if it has replies, and without a text.
    public var isRemoved: Bool { review.isRemoved }
    /// Whether the review or reply appears in lists.
    var isShown: Bool { !isRemoved || !replies.isEmpty }
    public var at: Instant { review.at }
    /// The position of the event that posted the review or reply.
    public var position: UInt64 { review.position }

    init(review: PostedReview, isVerified: Bool, replies: [ReviewThread] = []) {
        self.review = review
        self.isVerified = isVerified
        self.replies = replies
    }
}

extension ShopRatings {
    /// A review or a reply with the replies below it. Of the thread's replies that were not removed, at most the
    /// ``ReadModelLimits/repliesPerThread`` oldest are included.
    ///
    /// - Returns: the thread, and the number of replies that were read for it, listed or not.
    func thread(
        of review: PostedReview, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> (thread: ReviewThread, replies: Int) {
        var below: [ReviewID: [ReviewThread]] = [:]
        let replies = try replies(in: review.thread, snapshot)
        // A reply is younger than its parent. The loop begins with the youngest, so each reply has all of its own replies when it is added.
        for reply in replies.reversed() where reply.position > review.position {
            guard let parent = reply.parent else { throw store.damaged("a thread holds a review") }
            let shown = try post(reply, in: snapshot, over: &below)
            if shown.isShown { below[parent, default: []].append(shown) }
        }
        return (try post(review, in: snapshot, over: &below), replies.count)
    }

    /// A review or reply without its replies.
    func post(_ review: PostedReview, in snapshot: borrowing Snapshot) throws(ReadModelError) -> ReviewThread {
        let isVerified = try store.has(holders, RowKey(review.shop.value, and: review.author.value), in: snapshot)
        return ReviewThread(review: review, isVerified: isVerified)
    }

    /// Creates the thread of a review or reply from its replies, which were collected in `below`, youngest first.
    private func post(
        _ review: PostedReview, in snapshot: borrowing Snapshot, over below: inout [ReviewID: [ReviewThread]]
    ) throws(ReadModelError) -> ReviewThread {
        var thread = try post(review, in: snapshot)
        thread.replies = below.removeValue(forKey: review.id)?.reversed() ?? []
        return thread
    }

    /// The replies of a thread, oldest first. At most ``ReadModelLimits/repliesPerThread`` of them are replies that were not removed, and
    /// at most ``ReadModelLimits/repliesReadPerThread`` replies are read.
    private func replies(in thread: ReviewID, _ snapshot: borrowing Snapshot) throws(ReadModelError) -> [PostedReview] {
        var found: [PostedReview] = []
        var standing = 0
        try store.ascend(replies, of: thread.value, in: snapshot) { (_, value) throws(ReadModelError) in
            let reply = try review(named: value, in: snapshot)
            found.append(reply)
            if !reply.isRemoved { standing += 1 }
            return standing < ReadModelLimits.repliesPerThread && found.count < ReadModelLimits.repliesReadPerThread
        }
        return found
    }
}
