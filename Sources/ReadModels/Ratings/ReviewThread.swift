internal import LMDB
public import Loyalty
internal import Projections

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
    /// The position of the event that posted the review.
    public var position: UInt64 { review.position }

    init(review: PostedReview, isVerified: Bool, replies: [ReviewThread] = []) {
        self.review = review
        self.isVerified = isVerified
        self.replies = replies
    }
}

extension ShopRatings {
    /// A review or a reply with everything below it, at most ``ReadModelLimits/repliesPerThread`` of its thread's oldest.
    ///
    /// - Returns: the thread, and how many replies were read for it, shown or not.
    func thread(
        of review: PostedReview, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> (thread: ReviewThread, replies: Int) {
        var below: [ReviewID: [ReviewThread]] = [:]
        let replies = try replies(in: review.thread, snapshot)
        // A reply is younger than what it answers: from the youngest on, each finds its own replies complete.
        for reply in replies.reversed() where reply.position > review.position {
            guard let parent = reply.parent else { throw store.damaged("a thread holds a review") }
            let shown = try post(reply, in: snapshot, over: &below)
            if shown.isShown { below[parent, default: []].append(shown) }
        }
        return (try post(review, in: snapshot, over: &below), replies.count)
    }

    /// Without what answers it.
    func post(_ review: PostedReview, in snapshot: borrowing Snapshot) throws(ReadModelError) -> ReviewThread {
        let isVerified = try store.has(holders, RowKey(review.shop.value, and: review.author.value), in: snapshot)
        return ReviewThread(review: review, isVerified: isVerified)
    }

    /// Adds a review with its replies, which were collected youngest first.
    private func post(
        _ review: PostedReview, in snapshot: borrowing Snapshot, over below: inout [ReviewID: [ReviewThread]]
    ) throws(ReadModelError) -> ReviewThread {
        var thread = try post(review, in: snapshot)
        thread.replies = below.removeValue(forKey: review.id)?.reversed() ?? []
        return thread
    }

    /// The replies of a thread, oldest first. Removed replies do not count towards the limit, up to
    /// ``ReadModelLimits/repliesReadPerThread`` that are read.
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
