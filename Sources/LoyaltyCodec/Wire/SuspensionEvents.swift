internal import EventLog
internal import Loyalty

extension ShopSuspended {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopSuspended()
        message.reason = reason
        return try EventDraft(.shopSuspended, [Tag(.shop, shop.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try event.message(WireShopSuspended.self).reason)
    }
}

extension ShopReinstated {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopReinstated()
        message.reason = reason
        return try EventDraft(.shopReinstated, [Tag(.shop, shop.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(shop: try event.id(.shop), reason: try event.message(WireShopReinstated.self).reason)
    }
}
