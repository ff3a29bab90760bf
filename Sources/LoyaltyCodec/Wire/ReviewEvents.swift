internal import EventLog
internal import Loyalty

extension ReviewPosted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewPosted()
        if let rating { message.rating = try WireRange.wire(rating, WireRange.rating, "rating") }
        if let text { message.sealedText = try WireBytes.data(text, "text") }
        let tags = [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value)]
        return try EventDraft(.reviewPosted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        let message = try event.message(WireReviewPosted.self)
        self.init(
            review: try event.id(.review),
            shop: try event.id(.shop),
            author: try event.id(.account),
            rating: message.hasRating ? try WireRange.check(message.rating, WireRange.rating, "rating") : nil,
            text: message.hasSealedText ? try WireBytes.sealed(message.sealedText, "text") : nil)
    }
}

extension ReplyPosted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReplyPosted()
        message.depth = try WireRange.wire(depth, WireRange.depth, "depth")
        message.sealedText = try WireBytes.data(text, "text")
        let tags = [
            Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, reply.value), Tag(.parent, parent.value),
            Tag(.thread, thread.value),
        ]
        return try EventDraft(.replyPosted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        let message = try event.message(WireReplyPosted.self)
        self.init(
            reply: try event.id(.review),
            parent: try event.id(.parent),
            thread: try event.id(.thread),
            shop: try event.id(.shop),
            author: try event.id(.account),
            depth: try WireRange.check(message.depth, WireRange.depth, "depth"),
            text: try WireBytes.sealed(message.sealedText, "text"))
    }
}

extension ReviewRemoved {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireReviewRemoved()
        message.byOperator = byOperator
        let tags = [Tag(.account, author.value), Tag(.shop, shop.value), Tag(.review, review.value), Tag(.thread, thread.value)]
        return try EventDraft(.reviewRemoved, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        let message = try event.message(WireReviewRemoved.self)
        self.init(
            review: try event.id(.review),
            thread: try event.id(.thread),
            shop: try event.id(.shop),
            author: try event.id(.account),
            byOperator: message.byOperator)
    }
}
