internal import EventLog
internal import Loyalty

extension CampaignPublished {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignPublished()
        message.kind = kind.wire
        message.title = title.clearField
        message.details = details.clearField
        message.goal = try WireRange.wire(goal, WireRange.campaignGoal, "goal")
        message.reward = reward.clearField
        message.sealedTitle = try title.sealedField("title")
        message.sealedDetails = try details.sealedField("details")
        message.sealedReward = try reward.sealedField("reward")
        message.startsAt = startsAt.microseconds
        message.endsAt = endsAt.microseconds
        message.stampsPerDayMax = try WireRange.wire(caps.stampsPerDayMax, WireRange.stampsPerDay, "stampsPerDayMax")
        message.minimumGapSeconds = try WireRange.wire(caps.minimumGapSeconds, WireRange.gapSeconds, "minimumGapSeconds")
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + WireImages.tags(image.map { [$0] } ?? [])
        return try EventDraft(.campaignPublished, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.image == nil ? 2 : 3)
        try self.init(try event.message(WireCampaignPublished.self), event)
    }

    /// The fields that every version has.
    init(_ message: WireCampaignPublished, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        self.init(
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            kind: try CampaignKind(wire: message.kind),
            title: try TypedText(clear: message.title, sealed: message.sealedTitle, "title"),
            details: try TypedText(clear: message.details, sealed: message.sealedDetails, "details"),
            goal: try WireRange.check(message.goal, WireRange.campaignGoal, "goal"),
            reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward"),
            startsAt: Instant(microseconds: message.startsAt),
            endsAt: Instant(microseconds: message.endsAt),
            image: event.image,
            caps: try StampCaps(stampsPerDayMax: message.stampsPerDayMax, minimumGapSeconds: message.minimumGapSeconds))
    }
}

extension CampaignEdited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignEdited()
        message.title = title.clearField
        message.details = details.clearField
        message.goal = try WireRange.wire(goal, WireRange.campaignGoal, "goal")
        message.reward = reward.clearField
        message.sealedTitle = try title.sealedField("title")
        message.sealedDetails = try details.sealedField("details")
        message.sealedReward = try reward.sealedField("reward")
        message.startsAt = startsAt.microseconds
        message.endsAt = endsAt.microseconds
        message.stampsPerDayMax = try WireRange.wire(caps.stampsPerDayMax, WireRange.stampsPerDay, "stampsPerDayMax")
        message.minimumGapSeconds = try WireRange.wire(caps.minimumGapSeconds, WireRange.gapSeconds, "minimumGapSeconds")
        let tags = [Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + WireImages.tags(image.map { [$0] } ?? [])
        return try EventDraft(.campaignEdited, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.image == nil ? 2 : 3)
        try self.init(try event.message(WireCampaignEdited.self), event)
    }

    /// The fields that every version has.
    init(_ message: WireCampaignEdited, _ event: some StoredEvent & ~Escapable) throws(CodecError) {
        self.init(
            campaign: try event.id(.campaign),
            shop: try event.id(.shop),
            title: try TypedText(clear: message.title, sealed: message.sealedTitle, "title"),
            details: try TypedText(clear: message.details, sealed: message.sealedDetails, "details"),
            goal: try WireRange.check(message.goal, WireRange.campaignGoal, "goal"),
            reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward"),
            startsAt: Instant(microseconds: message.startsAt),
            endsAt: Instant(microseconds: message.endsAt),
            image: event.image,
            caps: try StampCaps(stampsPerDayMax: message.stampsPerDayMax, minimumGapSeconds: message.minimumGapSeconds))
    }
}

extension CampaignEnded {
    func draft() -> EventDraft {
        EventDraft(.campaignEnded, [Tag(.shop, shop.value), Tag(.campaign, campaign.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
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

extension StampCaps {
    /// 0 on the wire is no cap.
    fileprivate init(stampsPerDayMax: UInt32, minimumGapSeconds: UInt32) throws(CodecError) {
        self.init(
            stampsPerDayMax: try WireRange.check(orNone: stampsPerDayMax, WireRange.stampsPerDay, "stampsPerDayMax"),
            minimumGapSeconds: try WireRange.check(orNone: minimumGapSeconds, WireRange.gapSeconds, "minimumGapSeconds"))
    }
}

extension StoredEvent where Self: ~Escapable {
    /// A campaign's image is its tag.
    var image: ImageID? { value(of: .image).map { ImageID($0) } }
}
