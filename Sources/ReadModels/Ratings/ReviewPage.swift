public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// Some of a shop's reviews, newest first. A thread is never divided between pages.
public struct ReviewPage: Hashable, Sendable {
    public let threads: [ReviewThread]
    /// Nil on the last page.
    public let next: Position?
}

/// A page that is being filled, until it shows enough reviews, or enough reviews or replies were read.
struct ReviewPageFilling {
    private let limit: Int
    private var threads: [ReviewThread] = []
    private var replies = 0
    private var looks = 0
    private var covered: Position?
    private var hasMore = false

    init(limit: Int) { self.limit = limit }

    var goesOn: Bool { !hasMore }

    var page: ReviewPage { ReviewPage(threads: threads, next: hasMore ? covered : nil) }

    private var isFull: Bool { threads.count >= limit || replies >= ReadModelLimits.repliesPerPage }

    mutating func wantsThread(of review: PostedReview) -> Bool {
        looks += 1
        // A removed review is listed only with replies, so its thread must be read even if the page is full. `isSpent` bounds these reads.
        let isSpent = looks > ReadModelLimits.reviewsPerPage || replies >= 2 * ReadModelLimits.repliesPerPage
        hasMore = isSpent || isFull && !review.isRemoved
        return goesOn
    }

    mutating func take(_ thread: ReviewThread, replies: Int) {
        if isFull, thread.isShown {
            hasMore = true
            return
        }
        if thread.isShown { threads.append(thread) }
        self.replies += replies
        covered = Position(thread.position)
    }
}

extension ShopRatings {
    /// A shop's rating, ``Rating/none`` without ratings.
    public func rating(of shop: ShopID) throws(ReadModelError) -> Rating {
        try store.reading { (snapshot) throws(ReadModelError) in try store.row(ratings, RowKey(shop.value), in: snapshot) ?? .none }
    }

    /// A shop's reviews with their threads, newest first. A removed one is included only with replies. A page may be short: only
    /// ``ReviewPage/next`` shows the end.
    ///
    /// - Parameters:
    ///   - before: ``ReviewPage/next`` of the previous page.
    ///   - limit: clamped to 1 to ``ReadModelLimits/pageItems``.
    public func reviews(of shop: ShopID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> ReviewPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var page = ReviewPageFilling(limit: limit)
            try store.descend(shops, of: shop.value, before: before?.rawValue, in: snapshot) {
                (_, value) throws(ReadModelError) in
                let review = try review(named: value, in: snapshot)
                // The review after the last one only shows whether there is a next page. If it was removed, its replies decide that.
                guard page.wantsThread(of: review) else { return page.goesOn }
                let (thread, replies) = try thread(of: review, in: snapshot)
                page.take(thread, replies: replies)
                return page.goesOn
            }
            return page.page
        }
    }

    /// A review or reply with its replies; nil if it does not exist, or was removed and has no replies.
    public func review(_ id: ReviewID) throws(ReadModelError) -> ReviewThread? {
        try store.reading { (snapshot) throws(ReadModelError) in
            guard let review = try review(id, in: snapshot) else { return nil }
            let thread = try thread(of: review, in: snapshot).thread
            return thread.isShown ? thread : nil
        }
    }

    func review(_ id: ReviewID, of row: Span<UInt8>) throws(ReadModelError) -> PostedReview {
        guard let review = ReviewRow.decode(row, id: id) else { throw store.damaged("the row of review \(id.text) does not decode") }
        return review
    }

    private func review(_ id: ReviewID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedReview? {
        try store.value(reviews, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in try review(id, of: row) }
    }

    /// The review or reply that another table names. A missing one is damage.
    func review(named value: Span<UInt8>, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedReview {
        let id = ReviewID(try store.id(value, "an entry of an index"))
        guard let review = try review(id, in: snapshot) else { throw store.damaged("the row of review \(id.text) is missing") }
        return review
    }
}
