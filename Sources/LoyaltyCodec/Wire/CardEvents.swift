internal import EventLog
internal import Loyalty

extension CardOpened {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardOpened()
        message.goal = try WireRange.wire(goal, WireRange.cardGoal, "goal")
        message.reward = reward.clearField
        message.sealedReward = try reward.sealedField("reward")
        if let moment = terms.expiresAt { message.expiresAt = moment.microseconds }
        if let moment = terms.redeemUntil { message.redeemUntil = moment.microseconds }
        message.milestones = try terms.milestones.encoded()
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
        ]
        return try EventDraft(.cardOpened, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let home = try event.home(besides: 4)
        try self.init(try event.message(WireCardOpened.self), event, home: home)
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ message: WireCardOpened, _ event: some StoredEvent & ~Escapable, home: ShopID? = nil) throws(CodecError) {
        self.init(
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            goal: try WireRange.check(message.goal, WireRange.cardGoal, "goal"),
            reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward"),
            terms: CardTerms(
                expiresAt: message.hasExpiresAt ? Instant(microseconds: message.expiresAt) : nil,
                redeemUntil: message.hasRedeemUntil ? Instant(microseconds: message.redeemUntil) : nil,
                milestones: try [Milestone](decoding: message.milestones)))
    }
}

extension CardStamped {
    /// The event before it becomes bytes. An event that adds one stamp, and uses up one stamp of the code, is stored in tags alone. So the
    /// most frequent event needs no payload.
    func draft() throws(CodecError) -> EventDraft {
        let tags =
            try [
                Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value),
                Tag(.card, card.value),
            ] + WireHome.tags(home, besides: shop)
        if stamps == 1, worth == 1 { return EventDraft(.cardStamped, tags) }
        var message = WireCardStamped()
        message.stamps = try WireRange.wire(stamps, WireRange.cardStamps, "stamps")
        if worth != stamps { message.worth = try WireRange.wire(worth, WireRange.usedWorth, "worth") }
        _ = try WireRange.check(worth, WireRange.usedWorth, "worth")
        return try EventDraft(.cardStamped, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let given = try event.hasPayload ? Self.given(by: try event.message(WireCardStamped.self)) : (stamps: 1, worth: 1)
        try self.init(given, event, home: try event.home(besides: 5))
    }

    /// Reads the event from an older version, in which no tag names the campaign's own shop.
    init(_ given: (stamps: Int, worth: Int), _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        try self.init(given, event, home: nil)
    }

    private init(_ given: (stamps: Int, worth: Int), _ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        self.init(
            card: try event.id(.card),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            stamps: given.stamps, worth: given.worth)
    }

    /// Reads the added stamps and the used worth from a payload. Each event has only one valid set of fields: a payload that means the same
    /// as an empty payload is refused, and so is a worth that equals the stamps, because then the field `worth` must be absent.
    static func given(by message: WireCardStamped) throws(CodecError) -> (stamps: Int, worth: Int) {
        let stamps = try WireRange.check(message.stamps, WireRange.cardStamps, "stamps")
        guard message.hasWorth else {
            return (stamps, try WireRange.check(stamps, 2...WireRange.stamps.upperBound, "stamps"))
        }
        let worth = try WireRange.check(message.worth, WireRange.usedWorth, "worth")
        guard worth != stamps else { throw CodecError(.fieldOutOfRange, "worth is \(worth), as without it") }
        return (stamps, worth)
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

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
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
        message.stamps = try WireRange.wire(stamps, WireRange.cardStamps, "stamps")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.code, code.value),
            Tag(.card, card.value),
        ]
        return try EventDraft(.stampReversed, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(try event.message(WireStampReversed.self), event, home: try event.home(besides: 5))
    }

    /// Reads the event from an older version, in which no tag names the campaign's own shop.
    init(_ message: WireStampReversed, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        try self.init(message, event, home: nil)
    }

    private init(_ message: WireStampReversed, _ event: some StoredEvent & ~Escapable, home: ShopID?) throws(CodecError) {
        self.init(
            card: try event.id(.card),
            code: try event.id(.code),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            home: home,
            holder: try event.id(.account),
            stamps: try WireRange.check(message.stamps, WireRange.cardStamps, "stamps"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}

extension CardExpired {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardExpired()
        message.dueAt = dueAt.microseconds
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
        ]
        return try EventDraft(.cardExpired, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        let message = try event.message(WireCardExpired.self)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt))
    }
}

extension CardReminded {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardReminded()
        message.daysLeft = UInt32(try Self.checked(daysLeft))
        message.dueAt = dueAt.microseconds
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
            Tag(.notice, notice.value),
        ]
        return try EventDraft(.cardReminded, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(5)
        let message = try event.message(WireCardReminded.self)
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), holder: try event.id(.account),
            notice: try event.id(.notice), daysLeft: try Self.checked(message.daysLeft), dueAt: Instant(microseconds: message.dueAt))
    }

    private static func checked(_ days: some BinaryInteger) throws(CodecError) -> Int {
        guard let days = Int(exactly: days), days == 14 || days == 2 else {
            throw CodecError(.fieldOutOfRange, "daysLeft is \(days), not 14 or 2")
        }
        return days
    }
}

extension WaitingCardTaken {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireWaitingCardTaken()
        message.from = from.map { WireBytes.data(id: $0.value) } ?? message.from
        message.goal = try WireRange.wire(goal, WireRange.cardStamps, "goal")
        message.stamps = try WireRange.wire(stamps, WireRange.paperStamps, "stamps")
        message.moved = try WireRange.wire(moved, WireRange.paperStamps, "moved")
        message.onto = onto.map { WireBytes.data(id: $0.value) } ?? message.onto
        message.codes = try WireRange.wire(codes, WireRange.takenCodes, "codes")
        message.worth = try WireRange.wire(worth, WireRange.paperStamps, "worth")
        let tags = [
            Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value),
        ]
        return try EventDraft(.waitingCardTaken, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        let message = try event.message(WireWaitingCardTaken.self)
        self.init(
            card: try event.id(.card),
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            holder: try event.id(.account),
            from: try WireBytes.id(message.from, "from").map { AccountID($0) },
            goal: try WireRange.check(message.goal, WireRange.cardStamps, "goal"),
            stamps: try WireRange.check(message.stamps, WireRange.paperStamps, "stamps"),
            moved: try WireRange.check(message.moved, WireRange.paperStamps, "moved"),
            onto: try WireBytes.id(message.onto, "onto").map { CardID($0) },
            codes: try WireRange.check(message.codes, WireRange.takenCodes, "codes"),
            worth: try WireRange.check(message.worth, WireRange.paperStamps, "worth"))
    }
}
