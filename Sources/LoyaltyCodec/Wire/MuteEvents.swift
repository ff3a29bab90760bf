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
