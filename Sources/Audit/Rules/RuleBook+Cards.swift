internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// What rules ask of a card.
struct LiveCard {
    let campaign: CampaignID
    let holder: AccountID
    let goal: Int16
    var stamps: Int16 = 0
    var status = CardStatus.collecting
    var newestRedemption: RedemptionID?
}

extension RuleBook {
    mutating func check(_ event: CardOpened, _ fact: Fact) {
        requireAccount(event.holder)
        require(event.holder == fact.actor, "card \(event.card.text) was opened for somebody else")
        requireStranger(event.shop, event.holder)
        requireOpenCounter(event.shop)
        if let campaign = campaign(event.campaign, of: event.shop) {
            require(campaign.isRunning(at: fact.time), "campaign \(event.campaign.text) was not running")
            require(campaign.goal == event.goal, "card \(event.card.text) has the goal \(event.goal), its campaign \(campaign.goal)")
        }
        guard cardIndex.place(of: event.card.value) == nil else {
            return require(false, "card \(event.card.text) was opened before")
        }
        _ = cardIndex.insert(event.card.value)
        cards.append(LiveCard(campaign: event.campaign, holder: event.holder, goal: Int16(clamping: event.goal)))
    }

    mutating func check(_ event: CardStamped, _ fact: Fact) {
        use(event, fact)
        require(event.holder == fact.actor, "card \(event.card.text) was stamped by somebody else")
        requireStranger(event.shop, event.holder)
        requireOpenCounter(event.shop)
        if let campaign = campaign(event.campaign, of: event.shop) {
            require(campaign.isRunning(at: fact.time), "campaign \(event.campaign.text) was not running")
            requireWithinCaps(event, campaign.caps, fact)
        }
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(card.status == .collecting, "card \(event.card.text) was \(card.status), and collects nothing more")
        require(event.stamps >= 1 && Int(card.stamps) + event.stamps <= card.goal, "card \(event.card.text) has more stamps than its goal")
        cards[place].stamps += Int16(clamping: event.stamps)
        if card.status == .collecting, cards[place].stamps >= card.goal { cards[place].status = .full }
    }

    mutating func check(_ event: CardDiscarded, _ fact: Fact) {
        require(event.holder == fact.actor, "card \(event.card.text) was discarded by somebody else")
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let status = cards[place].status
        require(status != .discarded, "card \(event.card.text) was discarded before")
        cards[place].status = .discarded
    }

    mutating func check(_ event: CardAdjusted, _ fact: Fact) {
        requireAccount(fact.actor)
        _ = campaign(event.campaign, of: event.shop)
        guard let place = place(of: event.card, campaign: event.campaign, holder: event.holder) else { return }
        let card = cards[place]
        require(event.stamps != 0, "card \(event.card.text) was adjusted by nothing")
        require(card.status == .collecting || card.status == .full, "card \(event.card.text) was \(card.status), and cannot be adjusted")
        let stamps = Int(card.stamps) + event.stamps
        require((0...Int(card.goal)).contains(stamps), "card \(event.card.text) was adjusted to \(stamps) stamps, its goal is \(card.goal)")
        cards[place].stamps = Int16(clamping: stamps)
        if card.status == .collecting || card.status == .full { cards[place].status = stamps >= card.goal ? .full : .collecting }
    }

    /// Where a card stands that the event must be right about.
    mutating func place(of id: CardID, campaign: CampaignID, holder: AccountID) -> Int? {
        guard let place = cardIndex.place(of: id.value) else {
            require(false, "card \(id.text) was never opened")
            return nil
        }
        let card = cards[place]
        require(card.campaign == campaign && card.holder == holder, "card \(id.text) is of another campaign or holder")
        return place
    }
}
