internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// What rules ask of a review or a reply.
struct LiveReview {
    let shop: ShopID
    let thread: ReviewID
    let depth: Int
}

extension RuleBook {
    mutating func check(_ event: ReviewPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        require(shopOwners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        requireStranger(event.shop, event.author)
        require(event.rating != nil || event.text != nil, "review \(event.review.text) has neither a rating nor a text")
        require(event.rating.map(Limits.rating.contains) ?? true, "review \(event.review.text) gives \(event.rating ?? 0) stars")
        add(event.review, LiveReview(shop: event.shop, thread: event.review, depth: 0))
    }

    mutating func check(_ event: ReplyPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        add(event.reply, LiveReview(shop: event.shop, thread: event.thread, depth: event.depth))
        guard let place = reviewIndex.place(of: event.parent.value) else {
            return require(false, "reply \(event.reply.text) answers \(event.parent.text), which was never posted")
        }
        let parent = reviews[place]
        require(parent.shop == event.shop && parent.thread == event.thread, "reply \(event.reply.text) is in another thread")
        require(event.depth == parent.depth + 1 && event.depth <= Limits.replyDepthMax, "reply \(event.reply.text) is \(event.depth) deep")
    }

    private mutating func requireAuthor(_ author: AccountID, _ fact: Fact) {
        requireAccount(author)
        require(author == fact.actor, "something was written in the name of \(author.text)")
    }

    private mutating func add(_ id: ReviewID, _ review: LiveReview) {
        guard reviewIndex.place(of: id.value) == nil else { return require(false, "review \(id.text) was posted before") }
        _ = reviewIndex.insert(id.value)
        reviews.append(review)
    }
}
