internal import EventLog
internal import Loyalty

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
