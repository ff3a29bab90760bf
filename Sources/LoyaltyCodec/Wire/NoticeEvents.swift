internal import EventLog
internal import Loyalty

extension NoticePosted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticePosted()
        message.sealedTitle = try WireBytes.data(title, "title")
        message.sealedText = try WireBytes.data(text, "text")
        let tags = [Tag(.account, author.value), Tag(.shop, audience.tagValue), Tag(.notice, notice.value)]
        return try EventDraft(.noticePosted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        let message = try event.message(WireNoticePosted.self)
        self.init(
            notice: try event.id(.notice),
            audience: NoticeAudience(tagged: try event.id(.shop)),
            author: try event.id(.account),
            title: try WireBytes.sealed(message.sealedTitle, "title"),
            text: try WireBytes.sealed(message.sealedText, "text"))
    }
}

extension NoticeRead {
    func draft() -> EventDraft {
        EventDraft(.noticeRead, [Tag(.account, account.value), Tag(.notice, notice.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(notice: try event.id(.notice), account: try event.id(.account))
    }
}
