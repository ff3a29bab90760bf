internal import EventLog
internal import Loyalty

extension RedemptionRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionRequested()
        message.attempt = try WireRange.wire(attempt, WireRange.attempt, "attempt")
        message.expiresAt = expiresAt.microseconds
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value),
        ]
        return try EventDraft(.redemptionRequested, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        let message = try event.message(WireRedemptionRequested.self)
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            secret: try event.secret(.redemptionSecret),
            attempt: try WireRange.check(message.attempt, WireRange.attempt, "attempt"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension CardRedeemed {
    func draft() throws(CodecError) -> EventDraft {
        try EventDraft(
            .cardRedeemed,
            [
                Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
                Tag(.redemption, redemption.value),
            ] + WireHome.tags(home, besides: shop))
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        try event.expectNoPayload()
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account))
    }
}

extension RedemptionReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRedemptionReversed()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.redemption, redemption.value),
        ]
        return try EventDraft(.redemptionReversed, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireRedemptionReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from an older version, in which no tag names the campaign's own shop.
    init(_ message: WireRedemptionReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        try self.init(message, event, home: nil)
    }

    private init(_ message: WireRedemptionReversed, _ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}
