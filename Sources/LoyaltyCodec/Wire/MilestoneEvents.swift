internal import EventLog
internal import Loyalty

extension MilestoneRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRequested()
        message.milestone = try WireRange.wire(milestone, WireRange.milestone, "milestone")
        message.attempt = try WireRange.wire(attempt, WireRange.attempt, "attempt")
        message.expiresAt = expiresAt.microseconds
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.redemption, redemption.value), Tag(.redemptionSecret, secret.value),
        ]
        return try EventDraft(.milestoneRequested, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(6)
        let message = try event.message(WireMilestoneRequested.self)
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            milestone: try WireRange.check(message.milestone, WireRange.milestone, "milestone"),
            secret: try event.secret(.redemptionSecret),
            attempt: try WireRange.check(message.attempt, WireRange.attempt, "attempt"),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension MilestoneRedeemed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneRedeemed()
        message.milestone = try WireRange.wire(milestone, WireRange.milestone, "milestone")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.redemption, redemption.value),
        ]
        return try EventDraft(.milestoneRedeemed, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        let message = try event.message(WireMilestoneRedeemed.self)
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            milestone: try WireRange.check(message.milestone, WireRange.milestone, "milestone"))
    }
}

extension MilestoneReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireMilestoneReversed()
        message.milestone = try WireRange.wire(milestone, WireRange.milestone, "milestone")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.redemption, redemption.value),
        ]
        return try EventDraft(.milestoneReversed, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, home: try event.home(besides: 5))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        let message = try event.message(WireMilestoneReversed.self)
        self.init(
            redemption: try event.id(.redemption),
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            milestone: try WireRange.check(message.milestone, WireRange.milestone, "milestone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}
