extension Card: Folded {
    public init?(opening fact: Fact) {
        guard case .cardOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.card, campaign: event.campaign, shop: event.shop, holder: event.holder, goal: event.goal, reward: event.reward,
            stamps: 0, status: .collecting, openedAt: fact.time, newestRedemption: nil,
            history: [CardEntry(at: fact.time, kind: .opened, stamps: 0, position: fact.position)])
    }

    /// The hot path of a replay. In place it copies nothing: keep the card where it is and no second reference to its history.
    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .cardStamped(let event) where event.card == id:
            addStamps(event.stamps, at: fact.time, position: fact.position)
        case .redemptionRequested(let event) where event.card == id:
            newestRedemption = event.redemption
            record(.redemptionRequested, fact)
        case .cardRedeemed(let event) where event.card == id:
            status = .redeemed
            record(.redeemed, fact)
        case .cardDiscarded(let event) where event.card == id:
            status = .discarded
            record(.discarded, fact)
        case .redemptionReversed(let event) where event.card == id:
            status = .full
            record(.reversed, fact)
        case .cardAdjusted(let event) where event.card == id:
            adjust(by: event.stamps, fact)
        default:
            break
        }
    }

    /// What `CardStamped` does, for a replay that has it from the tags and builds no event at all.
    public mutating func addStamps(_ added: Int, at time: Instant, position: UInt64) {
        stamps += added
        status = status.stamped(to: stamps, goal: goal)
        history.append(CardEntry(at: time, kind: .stamped, stamps: added, position: position))
    }

    private mutating func adjust(by change: Int, _ fact: Fact) {
        stamps += change
        status = stamps >= goal ? .full : .collecting
        history.append(CardEntry(at: fact.time, kind: .adjusted, stamps: change, position: fact.position))
    }

    private mutating func record(_ kind: CardEntry.Kind, _ fact: Fact) {
        history.append(CardEntry(at: fact.time, kind: kind, stamps: 0, position: fact.position))
    }
}
