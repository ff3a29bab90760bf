extension Review: Folded {
    public init?(opening fact: Fact) {
        switch fact.event {
        case .reviewPosted(let event):
            self.init(id: event.review, shop: event.shop, author: event.author, thread: event.review, depth: 0)
        case .replyPosted(let event):
            self.init(id: event.reply, shop: event.shop, author: event.author, thread: event.thread, depth: event.depth)
        default:
            return nil
        }
    }

    public mutating func evolve(_ fact: Fact) {
        if case .reviewRemoved(let event) = fact.event, event.review == id { isRemoved = true }
    }
}
