internal import EventLog
internal import Loyalty

extension CampaignPublished {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignPublished()
        message.kind = kind.wire
        message.title = title
        message.details = details
        message.goal = try WireRange.wire(goal, WireRange.campaignGoal, "goal")
        message.reward = reward
        message.startsAt = startsAt.microseconds
        message.endsAt = endsAt.microseconds
        return try EventDraft(.campaignPublished, [Tag(.shop, shop.value), Tag(.campaign, campaign.value)], message)
    }

    init(v1 event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireCampaignPublished.self)
        self.init(
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            kind: try CampaignKind(wire: message.kind),
            title: message.title,
            details: message.details,
            goal: try WireRange.check(message.goal, WireRange.campaignGoal, "goal"),
            reward: message.reward,
            startsAt: Instant(microseconds: message.startsAt),
            endsAt: Instant(microseconds: message.endsAt))
    }
}

extension CampaignEnded {
    func draft() -> EventDraft {
        EventDraft(.campaignEnded, [Tag(.shop, shop.value), Tag(.campaign, campaign.value)])
    }

    init(v1 event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop))
    }
}

extension CampaignKind {
    var wire: WireCampaignPublished.Kind {
        switch self {
        case .stampCard: .stampCard
        case .promotion: .promotion
        }
    }

    init(wire: WireCampaignPublished.Kind) throws(CodecError) {
        switch wire {
        case .stampCard: self = .stampCard
        case .promotion: self = .promotion
        case .unspecified, .UNRECOGNIZED: throw CodecError(.fieldOutOfRange, "kind is \(wire.rawValue), not 1 or 2")
        }
    }
}
