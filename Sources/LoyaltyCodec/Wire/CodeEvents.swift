internal import EventLog
internal import Loyalty

extension CodeIssued {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCodeIssued()
        message.attempt = try WireRange.wire(attempt, WireRange.attempt, "attempt")
        message.stamps = try WireRange.wire(stamps, WireRange.stamps, "stamps")
        message.expiresAt = expiresAt.microseconds
        let tags = [
            Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value), Tag(.codeSecret, secret.value),
        ]
        return try EventDraft(.codeIssued, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 4))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        let message = try event.message(WireCodeIssued.self)
        self.init(
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            secret: try event.secret(.codeSecret),
            attempt: try WireRange.check(message.attempt, WireRange.attempt, "attempt"),
            stamps: try WireRange.check(message.stamps, WireRange.stamps, "stamps"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension CodeDestroyed {
    func draft() -> EventDraft {
        EventDraft(.codeDestroyed, [Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        try event.expectNoPayload()
        self.init(code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop))
    }
}
