internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// What rules ask of a review or a reply.
struct LiveReview {
    let shop: ShopID
    let thread: ReviewID
    let depth: Int
    let author: AccountID
    var isRemoved = false
}

extension RuleBook {
    mutating func check(_ event: ReviewPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        require(shopOwners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        requireStranger(event.shop, event.author)
        require(event.rating != nil || event.text != nil, "review \(event.review.text) has neither a rating nor a text")
        require(event.rating.map(Limits.rating.contains) ?? true, "review \(event.review.text) gives \(event.rating ?? 0) stars")
        add(event.review, LiveReview(shop: event.shop, thread: event.review, depth: 0, author: event.author))
    }

    mutating func check(_ event: ReplyPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        if employs(event.shop, event.author) { requireOpenCounterToday(event.shop) }
        add(event.reply, LiveReview(shop: event.shop, thread: event.thread, depth: event.depth, author: event.author))
        guard let place = reviewIndex.place(of: event.parent.value) else {
            return require(false, "reply \(event.reply.text) answers \(event.parent.text), which was never posted")
        }
        let parent = reviews[place]
        require(!parent.isRemoved, "reply \(event.reply.text) answers \(event.parent.text), which was removed")
        require(parent.shop == event.shop && parent.thread == event.thread, "reply \(event.reply.text) is in another thread")
        require(event.depth == parent.depth + 1 && event.depth <= Limits.replyDepthMax, "reply \(event.reply.text) is \(event.depth) deep")
    }

    mutating func check(_ event: ReviewRemoved, _ fact: Fact) {
        requireAccount(fact.actor)
        guard let place = reviewIndex.place(of: event.review.value) else {
            return require(false, "review \(event.review.text) was removed and never posted")
        }
        let review = reviews[place]
        require(!review.isRemoved, "review \(event.review.text) was removed before")
        require(
            review.shop == event.shop && review.thread == event.thread && review.author == event.author,
            "review \(event.review.text) is another one")
        // Who is an operator stands in no log: only that it was not the author can be seen.
        require((fact.actor == event.author) != event.byOperator, "review \(event.review.text) was removed in somebody's name")
        reviews[place].isRemoved = true
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
