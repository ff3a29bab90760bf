extension Campaign: Folded {
    public init?(opening fact: Fact) {
        guard case .campaignPublished(let event) = fact.event else { return nil }
        self.init(
            id: event.campaign, shop: event.shop, kind: event.kind, title: event.title, details: event.details, goal: event.goal,
            reward: event.reward, startsAt: event.startsAt, endsAt: event.endsAt, image: event.image, caps: event.caps, endedAt: nil,
            version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .campaignEdited(let event) where event.campaign == id: edit(event, fact)
        case .campaignEnded(let event) where event.campaign == id:
            endedAt = fact.time
            version = fact.position
        default: break
        }
    }

    private mutating func edit(_ event: CampaignEdited, _ fact: Fact) {
        title = event.title
        details = event.details
        goal = event.goal
        reward = event.reward
        startsAt = event.startsAt
        endsAt = event.endsAt
        image = event.image
        caps = event.caps
        version = fact.position
    }
}
