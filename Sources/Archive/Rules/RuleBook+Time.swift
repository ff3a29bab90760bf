internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    static let daySeconds: Int64 = 86_400

    /// Requires that a card expires at most once, not early, and only while it is collecting or full.
    mutating func check(_ event: CardExpired, _ fact: Fact) {
        _ = campaign(event.campaign, of: event.shop)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(card.isLive, "card \(event.card.text) was \(card.status), and expired")
        require(event.dueAt == card.expiresAt, "card \(event.card.text) expired at another time than its terms name")
        require(event.dueAt <= fact.time, "card \(event.card.text) expired before its end")
        cards[place].status = .expired
        guard fact.actor != .system else {
            // After an erasure, only a person's reversal or adjustment records the end of a card.
            require(!people.erased.contains(event.holder), "card \(event.card.text) expired after its holder was erased")
            return
        }
        command.ended = Step(event, fact)
    }

    /// Requires that the command of a person that recorded a card's end goes on with the same holder and campaign.
    mutating func checkEnded(before fact: Fact) {
        guard let ended = command.ended else { return }
        command.ended = nil
        let goesOn =
            switch fact.event {
            case .cardOpened, .paperCardTaken, .cardAdjusted, .stampReversed, .cardDiscarded, .cardExpired, .waitingCardTaken: true
            default: false
            }
        var (holder, campaign) = (fact.event.holder, fact.event.campaign)
        if case .paperCardTaken(let event) = fact.event { (holder, campaign) = (event.holder, event.campaign) }
        let isSame = holder == ended.event.holder && campaign == ended.event.campaign && ended.isContinued(by: fact)
        require(goesOn && isSame, "the end of card \(ended.event.card.text) was recorded by \(ended.actor.text), who did nothing with it")
    }

    /// Requires at most two reminders, fourteen and two days before the card's end. A card that can no longer be redeemed gets no second
    /// one, and its first may come until the card's end.
    mutating func check(_ event: CardReminded, _ fact: Fact) {
        _ = campaign(event.campaign, of: event.shop)
        require(fact.actor == .system, "card \(event.card.text) was due, and \(fact.actor.text) acted on it")
        let isNew = notices.insert(event.notice).inserted && scheduled[event.notice] == nil
        require(isNew, "notice \(event.notice.text) was posted before")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(card.isLive, "the holder of card \(event.card.text) was reminded, and it was \(card.status)")
        let isDays = event.daysLeft == 14 || event.daysLeft == 2
        let dueAt = card.expiresAt.advanced(bySeconds: -Int64(event.daysLeft) * Self.daySeconds)
        require(isDays && event.dueAt == dueAt, "the reminder of card \(event.card.text) was due at another time")
        require(event.dueAt <= fact.time, "the reminder of card \(event.card.text) came too early")
        require(event.dueAt > card.openedAt, "the reminder of card \(event.card.text) was due before the card was opened")
        require(fact.time < card.expiresAt, "the reminder of card \(event.card.text) came after its end")
        let second = card.expiresAt.advanced(bySeconds: -2 * Self.daySeconds)
        let redeemUntil = min(card.redeemUntil, shops.closed[event.shop] ?? card.redeemUntil)
        let isLast = event.daysLeft == 2 || fact.time < second || second >= redeemUntil
        require(isLast, "the reminder of card \(event.card.text) came when the next was due")
        require(card.reminded == 0 || event.daysLeft < card.reminded, "the holder of card \(event.card.text) was reminded before")
        require(!people.erased.contains(event.holder), "the holder of card \(event.card.text) was reminded after they were erased")
        cards[place].reminded = UInt8(clamping: event.daysLeft)
    }
}
