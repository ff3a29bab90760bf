internal import EventLog

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

    /// Whether to go on to the next review.
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
