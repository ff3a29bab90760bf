internal import EventLog
internal import Loyalty

extension CardOpened {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardOpened()
        message.goal = try WireRange.wire(goal, WireRange.goal, "goal")
        message.reward = reward.clearField
        message.sealedReward = try reward.sealedField("reward")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
        ]
        return try EventDraft(.cardOpened, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        try self.init(try event.message(WireCardOpened.self), event)
    }

    /// The fields that every version has.
    init(_ message: WireCardOpened, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        self.init(
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            goal: try WireRange.check(message.goal, WireRange.goal, "goal"),
            reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward"))
    }
}

extension CardStamped {
    /// One stamp is all tags: the hottest event costs no message on either way.
    func draft() throws(CodecError) -> EventDraft {
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value),
            Tag(.card, card.value),
        ]
        if stamps == 1 { return EventDraft(.cardStamped, tags) }
        var message = WireCardStamped()
        message.stamps = try WireRange.wire(stamps, WireRange.stamps, "stamps")
        return try EventDraft(.cardStamped, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        self.init(
            card: try event.id(.card),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            stamps: try event.hasPayload ? Self.severalStamps(of: event) : 1)
    }

    /// A payload that says 1 is refused: one event has one form.
    private static func severalStamps(of event: some StoredEvent & ~Escapable) throws(CodecError) -> Int {
        let message = try event.message(WireCardStamped.self)
        return try WireRange.check(message.stamps, 2...WireRange.stamps.upperBound, "stamps")
    }
}

extension CardDiscarded {
    func draft() -> EventDraft {
        EventDraft(
            .cardDiscarded,
            [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        try event.expectNoPayload()
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account))
    }
}

extension CardAdjusted {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardAdjusted()
        message.stamps = Int32(try Self.checked(stamps))
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
        ]
        return try EventDraft(.cardAdjusted, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireCardAdjusted.self), event)
    }

    /// The fields that every version has.
    init(_ message: WireCardAdjusted, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        self.init(
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            stamps: try Self.checked(message.stamps),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }

    private static func checked(_ stamps: some BinaryInteger) throws(CodecError) -> Int {
        guard stamps != 0 else { throw CodecError(.fieldOutOfRange, "stamps is 0, and adjusts nothing") }
        return try WireRange.check(stamps, WireRange.adjustment, "stamps")
    }
}

extension StampReversed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStampReversed()
        message.stamps = try WireRange.wire(stamps, WireRange.stamps, "stamps")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value),
            Tag(.card, card.value),
        ]
        return try EventDraft(.stampReversed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        let message = try event.message(WireStampReversed.self)
        self.init(
            card: try event.id(.card),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, WireRange.stamps, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}
