internal import EventLog
internal import Loyalty

extension CardOpened: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCardOpened()
        message.goal = try WireRange.wire(goal, WireRange.cardGoal, "goal")
        message.reward = reward.clearField
        message.sealedReward = try reward.sealedField("reward")
        if let moment = terms.expiresAt { message.expiresAt = moment.microseconds }
        if let moment = terms.redeemUntil { message.redeemUntil = moment.microseconds }
        message.milestones = try terms.milestones.encoded()
        let tags = [Tag(.account, holder.value), Tag(.shop, shop.value), Tag(.campaign, campaign.value), Tag(.card, card.value)]
        return try EventDraft(.cardOpened, tags + WireHome.tags(home, besides: shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let (home, message) = (try event.home(besides: 4), try event.message(WireCardOpened.self))
        self.init(
            card: try event.id(.card), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            holder: try event.id(.account), goal: try WireRange.check(message.goal, WireRange.cardGoal, "goal"),
            reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward"),
            terms: CardTerms(
                expiresAt: message.hasExpiresAt ? Instant(microseconds: message.expiresAt) : nil,
                redeemUntil: message.hasRedeemUntil ? Instant(microseconds: message.redeemUntil) : nil,
                milestones: try [Milestone](decoding: message.milestones)))
    }
}

extension CardStamped: CodedEvent {
    /// One stamp that uses up one stamp of the code is stored in tags alone, so that the most frequent event needs no payload.
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
        let home = try event.home(besides: 5)
        self.init(
            card: try event.id(.card), code: try event.id(.code), campaign: try event.id(.campaign), shop: try event.id(.shop), home: home,
            holder: try event.id(.account), stamps: given.stamps, worth: given.worth)
    }

    /// Each event has only one valid payload: one that means the same as an empty payload is refused, and so is a `worth` that equals the
    /// stamps.
    private static func given(by message: WireCardStamped) throws(CodecError) -> (stamps: Int, worth: Int) {
        let stamps = try WireRange.check(message.stamps, WireRange.cardStamps, "stamps")
        guard message.hasWorth else { return (stamps, try WireRange.check(stamps, 2...WireRange.stamps.upperBound, "stamps")) }
        let worth = try WireRange.check(message.worth, WireRange.usedWorth, "worth")
        guard worth != stamps else { throw CodecError(.fieldOutOfRange, "worth is \(worth), as without it") }
        return (stamps, worth)
    }
}
