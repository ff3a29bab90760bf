internal import LMDB
public import Loyalty
internal import Projections

/// A review or a reply with all replies below it.
public struct ReviewThread: Hashable, Sendable {
    public let review: PostedReview
    public let isVerified: Bool
    /// The oldest first, each with its own replies.
    public internal(set) var replies: [ReviewThread] = []

    public var id: ReviewID { review.id }
    public var shop: ShopID { review.shop }
    public var author: AccountID { review.author }
    public var rating: Int? { review.rating }
    public var text: Sealed? { review.text }
    /// A removed one is listed only if it has replies.
    public var isRemoved: Bool { review.isRemoved }
    var isShown: Bool { !isRemoved || !replies.isEmpty }
    public var at: Instant { review.at }
    public var position: UInt64 { review.position }
}

extension ShopRatings {
    /// A review or reply with its ``ReadModelLimits/repliesPerThread`` oldest replies that were not removed. Also returns how many were
    /// read.
    func thread(of review: PostedReview, in snapshot: borrowing Snapshot) throws(ReadModelError) -> (thread: ReviewThread, replies: Int) {
        var below: [ReviewID: [ReviewThread]] = [:]
        let replies = try replies(in: review.thread, snapshot)
        // A reply is younger than its parent, so the youngest come first and each has its own replies when it is added.
        for reply in replies.reversed() where reply.position > review.position {
            guard let parent = reply.parent else { throw store.damaged("a thread holds a review") }
            let shown = try post(reply, in: snapshot, over: &below)
            if shown.isShown { below[parent, default: []].append(shown) }
        }
        return (try post(review, in: snapshot, over: &below), replies.count)
    }

    func post(_ review: PostedReview, in snapshot: borrowing Snapshot) throws(ReadModelError) -> ReviewThread {
        let isVerified = try store.has(holders, RowKey(review.shop.value, and: review.author.value), in: snapshot)
        return ReviewThread(review: review, isVerified: isVerified)
    }

    private func post(
        _ review: PostedReview, in snapshot: borrowing Snapshot, over below: inout [ReviewID: [ReviewThread]]
    ) throws(ReadModelError) -> ReviewThread {
        var thread = try post(review, in: snapshot)
        thread.replies = below.removeValue(forKey: review.id)?.reversed() ?? []
        return thread
    }

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
