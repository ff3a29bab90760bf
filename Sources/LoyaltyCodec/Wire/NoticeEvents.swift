internal import EventLog
public import Loyalty

extension NoticePosted: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticePosted()
        message.sealedTitle = try WireBytes.data(title, "title")
        message.sealedText = try WireBytes.data(text, "text")
        if let dueAt { message.dueAt = dueAt.microseconds }
        return try EventDraft(.noticePosted, audience.tags(of: notice, by: author), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let (audience, message) = (try NoticeAudience(tagged: event), try event.message(WireNoticePosted.self))
        self.init(
            notice: try event.id(.notice), audience: audience, author: try event.id(.account),
            title: try WireBytes.sealed(message.sealedTitle, "title"), text: try WireBytes.sealed(message.sealedText, "text"),
            dueAt: message.hasDueAt ? Instant(microseconds: message.dueAt) : nil)
    }
}

extension NoticeScheduled: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireNoticeScheduled()
        message.sealedTitle = try WireBytes.data(title, "title")
        message.sealedText = try WireBytes.data(text, "text")
        message.publishAt = publishAt.microseconds
        return try EventDraft(.noticeScheduled, audience.tags(of: notice, by: author), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let audience = try NoticeAudience(tagged: event)
        let message = try event.message(WireNoticeScheduled.self)
        self.init(
            notice: try event.id(.notice), audience: audience, author: try event.id(.account),
            title: try WireBytes.sealed(message.sealedTitle, "title"), text: try WireBytes.sealed(message.sealedText, "text"),
            publishAt: Instant(microseconds: message.publishAt))
    }
}

extension NoticeAudience {
    /// The id of the shop, or 0 for a notice to everybody, so that one look-up by tag finds either. No shop has the id 0.
    public var tagValue: UInt128 { shop?.value ?? 0 }

    /// The audience in the event's shop and campaign tags.
    init(tagged event: some StoredEvent & ~Escapable) throws(CodecError) {
        let shop: ShopID = try event.id(.shop)
        guard event.value(of: .campaign) != nil else {
            try event.expectTags(3)
            self = Self(tagged: shop)
            return
        }
        try event.expectTags(4)
        guard shop.value != 0 else { throw CodecError(.wrongTags, "a notice to holders of a campaign's cards has no shop") }
        self = .holders(try event.id(.campaign), of: shop)
    }

    init(tagged shop: ShopID) { self = shop.value == 0 ? .all : .shop(shop) }

    func tags(of notice: NoticeID, by author: AccountID) -> [Tag] {
        let campaign = campaign.map { [Tag(.campaign, $0.value)] } ?? []
        return [Tag(.account, author.value), Tag(.shop, tagValue)] + campaign + [Tag(.notice, notice.value)]
    }
}
