/// A review or a reply (评论、回复), with only the data that decisions need.
public struct Review: Hashable, Sendable {
    public let id: ReviewID
    public let shop: ShopID
    public let author: AccountID
    /// The review at the root of the thread; its own root for a review.
    public let thread: ReviewID
    /// 0 for a review.
    public let depth: Int
    /// A removed review cannot be answered, and its rating does not count.
    public var isRemoved = false
}

extension Review {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .reviewPosted(let event): self.init(id: event.review, shop: event.shop, author: event.author, thread: event.review, depth: 0)
        case .replyPosted(let event):
            self.init(id: event.reply, shop: event.shop, author: event.author, thread: event.thread, depth: event.depth)
        default: return nil
        }
    }

    public mutating func evolve(_ fact: Fact) { if case .reviewRemoved(let event) = fact.event, event.review == id { isRemoved = true } }
}
