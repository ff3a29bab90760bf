internal import EventLog
internal import Foundation
internal import Loyalty

extension CampaignPublished: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignPublished()
        message.kind = kind.wire
        try message.set(terms)
        return try EventDraft(.campaignPublished, terms.tags(campaign, shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignPublished.self)
        self.init(
            campaign: try event.id(.campaign), shop: try event.id(.shop), kind: try CampaignKind(wire: message.kind),
            terms: try message.terms(image: event.image))
    }
}

extension CampaignEdited: CodedEvent {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireCampaignEdited()
        try message.set(terms)
        return try EventDraft(.campaignEdited, terms.tags(campaign, shop), message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(event.image == nil ? 2 : 3)
        let terms = try event.message(WireCampaignEdited.self).terms(image: event.image)
        self.init(campaign: try event.id(.campaign), shop: try event.id(.shop), terms: terms)
    }
}

/// The fields of a campaign's terms. The image is a tag of the event instead.
private protocol CampaignTermsMessage {
    var title: String { get set }
    var sealedTitle: Data { get set }
    var details: String { get set }
    var sealedDetails: Data { get set }
    var goal: UInt32 { get set }
    var reward: String { get set }
    var sealedReward: Data { get set }
    var startsAt: Int64 { get set }
    var endsAt: Int64 { get set }
    var stampsPerDayMax: UInt32 { get set }
    var minimumGapSeconds: UInt32 { get set }
    var options: Data { get set }
}

extension WireCampaignPublished: CampaignTermsMessage {}
extension WireCampaignEdited: CampaignTermsMessage {}

extension CampaignTermsMessage {
    fileprivate mutating func set(_ terms: CampaignTerms<TypedText>) throws(CodecError) {
        title = terms.title.clearField
        details = terms.details.clearField
        goal = try WireRange.wire(terms.goal, WireRange.campaignGoal, "goal")
        reward = terms.reward.clearField
        sealedTitle = try terms.title.sealedField("title")
        sealedDetails = try terms.details.sealedField("details")
        sealedReward = try terms.reward.sealedField("reward")
        startsAt = terms.startsAt.microseconds
        endsAt = terms.endsAt.microseconds
        stampsPerDayMax = try WireRange.wire(terms.caps.stampsPerDayMax, WireRange.stampsPerDay, "stampsPerDayMax")
        minimumGapSeconds = try WireRange.wire(terms.caps.minimumGapSeconds, WireRange.gapSeconds, "minimumGapSeconds")
        options = try terms.options.encoded()
    }

    fileprivate func terms(image: ImageID?) throws(CodecError) -> CampaignTerms<TypedText> {
        CampaignTerms(
            title: try TypedText(clear: title, sealed: sealedTitle, "title"),
            details: try TypedText(clear: details, sealed: sealedDetails, "details"),
            goal: try WireRange.check(goal, WireRange.campaignGoal, "goal"),
            reward: try TypedText(clear: reward, sealed: sealedReward, "reward"),
            startsAt: Instant(microseconds: startsAt),
            endsAt: Instant(microseconds: endsAt),
            image: image,
            caps: try StampCaps(stampsPerDayMax: stampsPerDayMax, minimumGapSeconds: minimumGapSeconds),
            options: try CampaignOptions(decoding: options))
    }
}

extension CampaignTerms {
    fileprivate func tags(_ campaign: CampaignID, _ shop: ShopID) -> [Tag] {
        [Tag(.shop, shop.value), Tag(.campaign, campaign.value)] + WireImages.tags(image.map { [$0] } ?? [])
    }
}

extension CampaignKind {
    var wire: WireCampaignPublished.Kind {
        switch self {
        case .stampCard: .stampCard
        case .promotion: .promotion
        case .coupon: .coupon
        }
    }

    init(wire: WireCampaignPublished.Kind) throws(CodecError) {
        switch wire {
        case .stampCard: self = .stampCard
        case .promotion: self = .promotion
        case .coupon: self = .coupon
        case .unspecified, .UNRECOGNIZED: throw CodecError(.fieldOutOfRange, "kind is \(wire.rawValue), not 1 to 3")
        }
    }
}

extension StampCaps {
    /// 0 means no cap.
    fileprivate init(stampsPerDayMax: UInt32, minimumGapSeconds: UInt32) throws(CodecError) {
        self.init(
            stampsPerDayMax: try WireRange.check(orNone: stampsPerDayMax, WireRange.stampsPerDay, "stampsPerDayMax"),
            minimumGapSeconds: try WireRange.check(orNone: minimumGapSeconds, WireRange.gapSeconds, "minimumGapSeconds"))
    }
}

extension StoredEvent where Self: ~Escapable {
    /// The image is a tag of the event.
    var image: ImageID? { value(of: .image).map { ImageID($0) } }
}
