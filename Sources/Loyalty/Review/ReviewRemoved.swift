/// A review or a reply was taken down, by its author or by an operator. Its rating counts no more.
public struct ReviewRemoved: Hashable, Sendable {
    /// The review's own id, or the reply's.
    public let review: ReviewID
    /// The review at the root; itself for a review.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// Whether somebody other than the author did it.
    public let byOperator: Bool

    public init(review: ReviewID, thread: ReviewID, shop: ShopID, author: AccountID, byOperator: Bool) {
        self.review = review
        self.thread = thread
        self.shop = shop
        self.author = author
        self.byOperator = byOperator
    }
}
