public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// Some of a shop's reviews, newest first.
///
/// A page gets no more reviews once 1,000 replies were read for it, including removed replies. A thread is never divided between pages.
public struct ReviewPage: Hashable, Sendable {
    public let threads: [ReviewThread]
    /// The position from which the next page continues; nil on the last page.
    public let next: Position?

    init(_ threads: [ReviewThread], next: Position?) {
        self.threads = threads
        self.next = next
    }
}

/// A page of reviews while it is being filled. It ends when it shows enough reviews, or when enough reviews or replies were read.
struct ReviewPageFilling {
    private let limit: Int
    private var threads: [ReviewThread] = []
    private var replies = 0
    private var looks = 0
    /// The position of the last review that the page covers, whether it is shown or not.
    private var covered: Position?
    /// Whether there are reviews after the page.
    private var hasMore = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the page needs the next review.
    var goesOn: Bool { !hasMore }

    var page: ReviewPage { ReviewPage(threads, next: hasMore ? covered : nil) }

    /// Whether no more reviews may be added.
    private var isFull: Bool { threads.count >= limit || replies >= ReadModelLimits.repliesPerPage }

    /// Checks the next review.
    ///
    /// - Returns: whether its thread must be read and passed to `take`.
    mutating func wantsThread(of review: PostedReview) -> Bool {
        looks += 1
        // A removed review is listed only if it has replies, so its thread must be read even if the page is full. Only then is it known
        // whether the review begins a next page. The two limits in `isSpent` bound the number of reviews and replies that are read.
        let isSpent = looks > ReadModelLimits.reviewsPerPage || replies >= 2 * ReadModelLimits.repliesPerPage
        hasMore = isSpent || isFull && !review.isRemoved
        return goesOn
    }

    /// Adds a review with its thread.
    ///
    /// - Parameter replies: the number of replies that were read.
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
    /// A shop's rating as of the model's position. It is ``Rating/none`` if the shop has no rating or does not exist.
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
    /// A page may have fewer than `limit` reviews if their threads are long (``ReadModelLimits/repliesPerPage``), or if very many reviews
    /// were removed. Only ``ReviewPage/next`` shows whether there are more reviews.
    ///
    /// - Parameters:
    ///   - before: ``ReviewPage/next`` of the previous page; nil begins with the newest review.
    ///   - limit: the maximum number of reviews, 1 to ``ReadModelLimits/pageItems``; a value outside this range is replaced by the nearest
    ///     bound.
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func reviews(of shop: ShopID, before: Position? = nil, limit: Int = 20) throws(ReadModelError) -> ReviewPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var page = ReviewPageFilling(limit: limit)
            try store.descend(shops, of: shop.value, before: before?.rawValue, in: snapshot) {
                (_, value) throws(ReadModelError) in
                let review = try review(named: value, in: snapshot)
                // The review after the page's last one is read only to know whether there is a next page. Its thread is read only if the
                // review was removed, because then its replies decide whether it is listed.
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

    /// The review or reply whose id is the value of an entry in another table. If it does not exist, the function throws
    /// ``ReadModelError/Code/damaged``.
    func review(named value: Span<UInt8>, in snapshot: borrowing Snapshot) throws(ReadModelError) -> PostedReview {
        guard value.count == 16 else { throw store.damaged("an entry of an index has \(value.count) bytes") }
        let id = ReviewID(value.bigEndian128(at: 0))
        guard let review = try review(id, in: snapshot) else { throw store.damaged("the row of review \(id.text) is missing") }
        return review
    }
}
