/// Somebody answered a review or another reply.
public struct ReplyPosted: Hashable, Sendable {
    public let reply: ReviewID
    /// The review or reply that is answered.
    public let parent: ReviewID
    /// The review at the root.
    public let thread: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// 1 for an answer to the review itself, at most 8.
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
