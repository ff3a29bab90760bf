internal import EventLog
internal import Loyalty

/// Who works at a shop is all tags.
extension StaffAdded {
    func draft() -> EventDraft {
        EventDraft(.staffAdded, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension StaffRemoved {
    func draft() -> EventDraft {
        EventDraft(.staffRemoved, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}
