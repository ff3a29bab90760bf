/// A customer rated a shop, wrote about it, or both. A rating replaces the author's earlier rating of that shop.
public struct ReviewPosted: Hashable, Sendable {
    public let review: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The rating, 1 to 5; `nil` if there is none.
    public let rating: Int?
    public let text: Sealed?

    public init(review: ReviewID, shop: ShopID, author: AccountID, rating: Int?, text: Sealed?) {
        self.review = review
        self.shop = shop
        self.author = author
        self.rating = rating
        self.text = text
    }
}

/// A review or a reply was removed, by its author or by an operator. Its rating no longer counts.
public struct ReviewRemoved: Hashable, Sendable {
    /// The id of the removed review or reply.
    public let review: ReviewID
    /// The review at the root of the thread; a review is its own root.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// Whether an operator removed the review, and not its author.
    public let byOperator: Bool

    public init(review: ReviewID, thread: ReviewID, shop: ShopID, author: AccountID, byOperator: Bool) {
        self.review = review
        self.thread = thread
        self.shop = shop
        self.author = author
        self.byOperator = byOperator
    }
}

/// An account answered a review or another reply.
public struct ReplyPosted: Hashable, Sendable {
    public let reply: ReviewID
    /// The review or reply that is answered.
    public let parent: ReviewID
    /// The review at the root of the thread.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The depth in the thread: 1 for an answer to the review itself, at most 8.
    public let depth: Int
    public let text: Sealed

    public init(reply: ReviewID, parent: ReviewID, thread: ReviewID, shop: ShopID, author: AccountID, depth: Int, text: Sealed) {
        self.reply = reply
        self.parent = parent
        self.thread = thread
        self.shop = shop
        self.author = author
        self.depth = depth
        self.text = text
    }
}
