internal import EventLog
internal import Loyalty

extension FeedbackGiven {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireFeedbackGiven()
        message.sealedText = try WireBytes.data(text, "text")
        return try EventDraft(.feedbackGiven, [Tag(.account, author.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireFeedbackGiven.self)
        self.init(author: try event.id(.account), text: try WireBytes.sealed(message.sealedText, "text"))
    }
}
