/// A review or a reply (评论、回复), as far as decisions need it.
public struct Review: Hashable, Sendable {
    public let id: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The review at the root; itself for a review.
    public let thread: ReviewID
    /// 0 for a review.
    public let depth: Int
    /// Nobody can answer it any more, and its rating does not count.
    public var isRemoved: Bool

    public init(id: ReviewID, shop: ShopID, author: AccountID, thread: ReviewID, depth: Int, isRemoved: Bool = false) {
        self.id = id
        self.shop = shop
        self.author = author
        self.thread = thread
        self.depth = depth
        self.isRemoved = isRemoved
    }
}
