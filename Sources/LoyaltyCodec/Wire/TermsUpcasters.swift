internal import EventLog
internal import Loyalty

/// Reads `CampaignEdited` events of version 2, which were written before campaigns had options.
enum CampaignEditedV2: Upcaster {
    static let type = WireType.campaignEdited
    static let version: UInt16 = 2
    static let about = "Campaigns had no options; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignEdited.self)
        guard message.options.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignEdited of version 2 has options")
        }
        return .campaignEdited(try CampaignEdited(message, event))
    }
}

enum CampaignPublishedV3: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 3
    static let about = "Campaigns had no options; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignPublished.self)
        guard message.options.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 3 has options")
        }
        return .campaignPublished(try CampaignPublished(message, event))
    }
}

enum CardOpenedV2: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 2
    static let about = "Cards had no terms beyond goal and reward; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        let message = try event.message(WireCardOpened.self)
        try message.expectGoal(version)
        try message.expectNoTerms(version)
        return .cardOpened(try CardOpened(message, event))
    }
}

enum CardOpenedV3: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 3
    static let about = "Every card had a goal of 1 to 50."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        let message = try event.message(WireCardOpened.self)
        try message.expectGoal(version)
        try message.expectNoMilestones(version)
        return .cardOpened(try CardOpened(message, event))
    }
}

enum CampaignPublishedV4: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 4
    static let about = "Campaigns had no milestones; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let published = try CampaignPublished(try event.message(WireCampaignPublished.self), event)
        try published.terms.options.expectNoMilestones("CampaignPublished of version 4")
        try published.terms.options.expectNoShops("CampaignPublished of version 4")
        return .campaignPublished(published)
    }
}

enum CampaignEditedV3: Upcaster {
    static let type = WireType.campaignEdited
    static let version: UInt16 = 3
    static let about = "Campaigns had no milestones; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let edited = try CampaignEdited(try event.message(WireCampaignEdited.self), event)
        try edited.terms.options.expectNoMilestones("CampaignEdited of version 3")
        try edited.terms.options.expectNoShops("CampaignEdited of version 3")
        return .campaignEdited(edited)
    }
}

enum CardOpenedV4: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 4
    static let about = "Cards had no milestones; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        let message = try event.message(WireCardOpened.self)
        try message.expectNoMilestones(version)
        return .cardOpened(try CardOpened(message, event))
    }
}

extension CampaignOptions {
    fileprivate func expectNoMilestones(_ event: StaticString) throws(CodecError) {
        if !milestones.isEmpty { throw CodecError(.damagedPayload, "\(event) has milestones") }
    }
}

extension WireCardOpened {
    func expectNoMilestones(_ version: UInt16) throws(CodecError) {
        if !milestones.isEmpty { throw CodecError(.damagedPayload, "CardOpened of version \(version) has milestones") }
    }

    /// Only coupons have a goal of 0.
    func expectGoal(_ version: UInt16) throws(CodecError) {
        if goal == 0 { throw CodecError(.fieldOutOfRange, "goal of CardOpened of version \(version) is 0") }
    }

    func expectNoTerms(_ version: UInt16) throws(CodecError) {
        if hasExpiresAt || hasRedeemUntil || !milestones.isEmpty {
            throw CodecError(.damagedPayload, "CardOpened of version \(version) has terms")
        }
    }
}

enum CardStampedV1: Upcaster {
    static let type = WireType.cardStamped
    static let version: UInt16 = 1
    static let about = "Every stamp was one of the code's own."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        guard event.hasPayload else { return .cardStamped(try CardStamped((1, 1), event)) }
        let message = try event.message(WireCardStamped.self)
        guard !message.hasWorth else { throw CodecError(.damagedPayload, "CardStamped of version 1 has a worth") }
        let stamps = try WireRange.check(message.stamps, 2...WireRange.stamps.upperBound, "stamps")
        return .cardStamped(try CardStamped((stamps, stamps), event))
    }
}

enum StampReversedV1: Upcaster {
    static let type = WireType.stampReversed
    static let version: UInt16 = 1
    static let about = "A card lost at most ten stamps at once."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireStampReversed.self)
        _ = try WireRange.check(message.stamps, WireRange.stamps, "stamps")
        return .stampReversed(try StampReversed(message, event))
    }
}
