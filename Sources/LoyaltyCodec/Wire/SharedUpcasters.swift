internal import EventLog
internal import Loyalty

/// The tag that names a campaign's own shop, in events at another shop.
enum WireHome {
    /// - Throws: `wrongTags` if both are the same shop, because such an event could not be read back.
    static func tags(_ home: ShopID?, besides shop: ShopID) throws(CodecError) -> [Tag] {
        guard let home else { return [] }
        guard home != shop else { throw CodecError(.wrongTags, "the home is the shop of the event") }
        return [Tag(.home, home.value)]
    }
}

extension StoredEvent where Self: ~Escapable {
    /// - Parameter count: the number of the event's other tags.
    func home(besides count: Int) throws(CodecError) -> ShopID? {
        guard let home = value(of: .home) else {
            try expectTags(count)
            return nil
        }
        try expectTags(count + 1)
        guard home != value(of: .shop) else { throw CodecError(.wrongTags, "the home is the shop of the event") }
        return ShopID(home)
    }
}

extension CampaignOptions {
    /// - Throws: `damagedPayload` if the options name other shops.
    func expectNoShops(_ event: StaticString) throws(CodecError) {
        if !shops.isEmpty { throw CodecError(.damagedPayload, "\(event) has other shops") }
    }
}

enum CampaignPublishedV5: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 5
    static let about = "A campaign was of one shop; it names no others."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let published = try CampaignPublished(try event.message(WireCampaignPublished.self), event)
        try published.terms.options.expectNoShops("CampaignPublished of version 5")
        return .campaignPublished(published)
    }
}

enum CampaignEditedV4: Upcaster {
    static let type = WireType.campaignEdited
    static let version: UInt16 = 4
    static let about = "A campaign was of one shop; it names no others."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let edited = try CampaignEdited(try event.message(WireCampaignEdited.self), event)
        try edited.terms.options.expectNoShops("CampaignEdited of version 4")
        return .campaignEdited(edited)
    }
}

enum CardOpenedV5: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 5
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        return .cardOpened(try CardOpened(try event.message(WireCardOpened.self), event))
    }
}

enum CodeIssuedV1: Upcaster {
    static let type = WireType.codeIssued
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .codeIssued(try CodeIssued(event.message(WireCodeIssued.self), event))
    }
}

enum CardStampedV2: Upcaster {
    static let type = WireType.cardStamped
    static let version: UInt16 = 2
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        guard event.hasPayload else { return .cardStamped(try CardStamped((1, 1), event)) }
        return .cardStamped(try CardStamped(CardStamped.given(by: try event.message(WireCardStamped.self)), event))
    }
}

enum StampReversedV2: Upcaster {
    static let type = WireType.stampReversed
    static let version: UInt16 = 2
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .stampReversed(try StampReversed(try event.message(WireStampReversed.self), event))
    }
}

enum CardRedeemedV1: Upcaster {
    static let type = WireType.cardRedeemed
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .cardRedeemed(try CardRedeemed(event, home: nil))
    }
}

enum RedemptionReversedV2: Upcaster {
    static let type = WireType.redemptionReversed
    static let version: UInt16 = 2
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .redemptionReversed(try RedemptionReversed(try event.message(WireRedemptionReversed.self), event))
    }
}

enum MilestoneRedeemedV1: Upcaster {
    static let type = WireType.milestoneRedeemed
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .milestoneRedeemed(try MilestoneRedeemed(event.message(WireMilestoneRedeemed.self), event))
    }
}

enum MilestoneReversedV1: Upcaster {
    static let type = WireType.milestoneReversed
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .milestoneReversed(try MilestoneReversed(event.message(WireMilestoneReversed.self), event))
    }
}

enum PaperStampedV1: Upcaster {
    static let type = WireType.paperStamped
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .paperStamped(try PaperStamped(event.message(WirePaperStamped.self), event))
    }
}

enum PaperStampReversedV1: Upcaster {
    static let type = WireType.paperStampReversed
    static let version: UInt16 = 1
    static let about = "Everything of a campaign happened at its own shop."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        .paperStampReversed(try PaperStampReversed(event.message(WirePaperStampReversed.self), event))
    }
}
