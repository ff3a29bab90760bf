internal import EventLog
internal import Loyalty

extension ShopSuspended {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.shopSuspended, [Tag(.shop, shop.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireShopSuspended.self), event)
    }

    /// What every version has said.
    init(_ message: WireShopSuspended, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(
            shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}

extension ShopReinstated {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireShopReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.shopReinstated, [Tag(.shop, shop.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireShopReinstated.self), event)
    }

    /// What every version has said.
    init(_ message: WireShopReinstated, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        self.init(
            shop: try event.id(.shop), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}
