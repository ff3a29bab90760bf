public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// Some of a shop's reviews, newest first.
///
/// A page ends after 1,000 replies, with its cursor: a thread is shown whole or on the next page.
public struct ReviewPage: Hashable, Sendable {
    public let threads: [ReviewThread]
    /// The position to continue from; nil on the last page.
    public let next: Position?

    init(_ threads: [ReviewThread], next: Position?) {
        self.threads = threads
        self.next = next
    }
}

/// A page of reviews while it is being filled: it ends after so many reviews, so many replies, or so many looks.
struct ReviewPageFilling {
    private let limit: Int
    private var threads: [ReviewThread] = []
    private var replies = 0
    private var looks = 0
    /// The position of the last review that the page speaks for, shown or not.
    private var covered: Position?
    /// Whether there is a review behind it.
    private var hasMore = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the page continues with the next review.
    var goesOn: Bool { !hasMore }

    var page: ReviewPage { ReviewPage(threads, next: hasMore ? covered : nil) }

    /// Nothing is added to it any more.
    private var isFull: Bool { threads.count >= limit || replies >= ReadModelLimits.repliesPerPage }

    /// Looks at the next review.
    ///
    /// - Returns: whether its thread is to be read and taken.
    mutating func wantsThread(of review: PostedReview) -> Bool {
        looks += 1
        // Whether one that was taken down is shown, only its thread says; if not, it is no reason for another page. But that is not
        // looked into for ever.
        let isSpent = looks > ReadModelLimits.reviewsPerPage || replies >= 2 * ReadModelLimits.repliesPerPage
        hasMore = isSpent || isFull && !review.isRemoved
        return goesOn
    }

    /// Takes a review with its thread.
    ///
    /// - Parameter replies: how many were read.
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
    /// A shop's rating as of the model's position; ``Rating/none`` if it has no rating or does not exist.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func rating(of shop: ShopID) throws(ReadModelError) -> Rating {
        try store.reading { (snapshot) throws(ReadModelError) in
            try store.value(ratings, RowKey(shop.value), in: snapshot) { (row) throws(ReadModelError) in
                try rating(of: row)
            } ?? .none
        }
    }

    /// A shop's reviews, newest first, each with its thread. A removed review is included only if it has replies.
    ///
    /// A page holds fewer than `limit` reviews if their threads are long (``ReadModelLimits/repliesPerPage``) or if very many were removed.
    /// Only ``ReviewPage/next`` says whether there are more.
    ///
    /// - Parameters:
    ///   - before: ``ReviewPage/next`` of the previous page; nil begins with the newest.
    ///   - limit: reviews, 1 to ``ReadModelLimits/pageItems``; a value outside is moved to the nearest bound.
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func reviews(of shop: ShopID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> ReviewPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var page = ReviewPageFilling(limit: limit)
            try store.descend(shops, of: shop.value, before: before?.rawValue, in: snapshot) {
                (_, value) throws(ReadModelError) in
                let review = try review(named: value, in: snapshot)
                // A review after the last one only tells that there is more: its thread is read where nothing else says whether it is
                // shown.
                guard page.wantsThread(of: review) else { return page.goesOn }
                let (thread, replies) = try thread(of: review, in: snapshot)
                page.take(thread, replies: replies)
                return page.goesOn
            }
            return page.page
        }
    }

    /// A review or a reply with its replies; nil if it does not exist, or if it was removed and has no replies.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func review(_ id: ReviewID) throws(ReadModelError) -> ReviewThread? {
        try store.reading { (snapshot) throws(ReadModelError) in
            guard let review = try review(id, in: snapshot) else { return nil }
            let thread = try thread(of: review, in: snapshot).thread
            return thread.isShown ? thread : nil
        }
    }

    func rating(of row: Span<UInt8>) throws(ReadModelError) -> Rating {
        guard let rating = RatingRow.decode(row) else { throw store.damaged("a shop's rating does not decode") }
        return rating
    }

    func review(_ id: ReviewID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedReview? {
        try store.value(reviews, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in
            guard let review = ReviewRow.decode(row, id: id) else {
                throw store.damaged("the row of review \(id.text) does not decode")
            }
            return review
        }
    }

    /// The review that an index names: it must be there.
    func review(named value: Span<UInt8>, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedReview {
        guard value.count == 16 else { throw store.damaged("an entry of an index has \(value.count) bytes") }
        let id = ReviewID(value.bigEndian128(at: 0))
        guard let review = try review(id, in: snapshot) else { throw store.damaged("the row of review \(id.text) is missing") }
        return review
    }
}
