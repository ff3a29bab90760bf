internal import EventLog
public import Loyalty

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

extension NoticeAudience {
    /// The value of the shop tag: the shop, or 0 for everybody. So one look-up finds whatever was said to everybody, and whatever
    /// was said to one shop's customers; no shop has the id 0.
    public var tagValue: UInt128 { shop?.value ?? 0 }

    init(tagged shop: ShopID) {
        self = shop.value == 0 ? .all : .shop(shop)
    }
}

extension ShopMuted {
    func draft() -> EventDraft {
        EventDraft(.shopMuted, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension ShopUnmuted {
    func draft() -> EventDraft {
        EventDraft(.shopUnmuted, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension FavoriteAdded {
    func draft() -> EventDraft {
        EventDraft(.favoriteAdded, [Tag(.account, account.value), Tag(.campaign, campaign.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }
}

extension FavoriteRemoved {
    func draft() -> EventDraft {
        EventDraft(.favoriteRemoved, [Tag(.account, account.value), Tag(.campaign, campaign.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(account: try event.id(.account), campaign: try event.id(.campaign))
    }
}

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
