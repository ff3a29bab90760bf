internal import EventLog
internal import Loyalty

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
