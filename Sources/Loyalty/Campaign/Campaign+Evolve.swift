extension Campaign: Folded {
    public init?(opening fact: Fact) {
        guard case .campaignPublished(let event) = fact.event else { return nil }
        self.init(
            id: event.campaign, shop: event.shop, kind: event.kind, title: event.title, details: event.details, goal: event.goal,
            reward: event.reward, startsAt: event.startsAt, endsAt: event.endsAt, endedAt: nil)
    }

    public mutating func evolve(_ fact: Fact) {
        guard case .campaignEnded(let event) = fact.event, event.campaign == id else { return }
        endedAt = fact.time
    }
}
