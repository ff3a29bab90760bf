internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// A taken-over card, and the stamps that moved to the account's own card.
struct Takeover {
    /// Nil if no stamps moved.
    let onto: Int?
    let moved: Int
    let kept: Int
}

/// Rules about cards that waited for the holder of a phone number.
extension RuleBook {
    /// Requires that the holder of the waiting card never registered, that no stamp is made or lost, and that the account is a stranger.
    mutating func check(_ event: WaitingCardTaken, _ fact: Fact) {
        requireOwn(event.holder, fact, "card \(event.card.text) was taken over for \(event.holder.text) by \(fact.actor.text)")
        requireStranger(to: event.campaign, event.holder)
        let campaign = campaign(event.campaign, of: event.shop)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.from ?? event.holder) else { return }
        let card = cards[place]
        require(card.isLive, "card \(event.card.text) was \(card.status), and was taken over")
        require(fact.time < card.expiresAt, "card \(event.card.text) was taken over after its end")
        require(event.goal == card.goal && event.stamps <= card.goal, "card \(event.card.text) was taken over with another goal")
        if let from = event.from {
            require(people.accounts.place(of: from.value) == nil, "card \(event.card.text) was taken from \(from.text), who had registered")
            require(event.stamps + event.moved <= card.stamps, "card \(event.card.text) had only \(card.stamps) stamps to give")
            let isMove = event.onto == command.move?.event.card && event.moved == command.move?.event.moved ?? 0
            require(isMove, "stamps of card \(event.card.text) moved nowhere")
            command.move = nil
            takeOver(event, place, campaign?.terms.caps ?? .none, fact)
        } else {
            require(card.status == .collecting, "card \(event.card.text) got stamps, and was \(card.status)")
            require(
                event.moved >= 1 && event.stamps == Int(card.stamps) + event.moved, "card \(event.card.text) got other stamps than moved")
            command.move = Step(event, fact)
            if event.status == .full { countFilled(1, event.holder, event.campaign) }
            (cards[place].stamps, cards[place].status) = (Int16(clamping: event.stamps), event.status)
        }
    }

    private mutating func takeOver(_ event: WaitingCardTaken, _ place: Int, _ caps: StampCaps, _ fact: Fact) {
        let saver = Saver(account: event.holder, campaign: event.campaign)
        if event.status == .full { countFilled(1, event.holder, event.campaign) }
        if event.codes > 0 { savings[saver, default: Saving()].codes += event.codes }
        if caps != .none, event.worth > 0 {
            gains[saver, default: []].append(Gain(code: CodeID(event.card.value), at: fact.time, stamps: event.worth))
        }
        (cards[place].holder, cards[place].stamps) = (event.holder, Int16(clamping: event.stamps))
        cards[place].status = event.status
        cards.takeovers[place] = Takeover(
            onto: event.onto.flatMap { cards.index.place(of: $0.value) }, moved: event.moved, kept: event.stamps)
        guard event.status == .collecting else { return }
        requireOnlyCollecting(place, "card \(event.card.text) was taken over to collect beside one that does")
    }

    /// Requires that the next event takes over the card that gave the stamps.
    mutating func checkMove(before fact: Fact) {
        guard let move = command.move else { return }
        if case .waitingCardTaken(let event) = fact.event, event.from != nil, event.holder == move.event.holder,
            event.campaign == move.event.campaign, fact.time == move.time
        {
            return
        }
        command.move = nil
        require(false, "card \(move.event.card.text) got stamps before this event, and no waiting card gave them")
    }
}
