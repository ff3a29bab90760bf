internal import EventLog
internal import Loyalty

/// A reader of one retired version of one event type, listed in ``Upcasters/all``. It is never removed, because logs may contain the
/// version for ever.
///
/// No code above the codec depends on versions. `CHANGING.md` describes how to change an event.
protocol Upcaster: SendableMetatype {
    static var type: WireType { get }
    /// Lower than ``WireType/currentVersion``.
    static var version: UInt16 { get }
    /// One sentence: the fields that the version did not have, and their substitutes.
    static var about: String { get }

    /// - Throws: `CodecError` for content that this version could not have.
    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent
}

enum Upcasters {
    /// Never remove an entry. Few events are old, so a linear search is fast enough.
    static let all: [any Upcaster.Type] = [
        ShopOpenedV1.self, CampaignPublishedV1.self, ShopOpenedV2.self, ShopEditedV1.self, ShopSuspendedV1.self, ShopReinstatedV1.self,
        CardAdjustedV1.self, RedemptionReversedV1.self, CampaignPublishedV2.self, CampaignEditedV1.self, CardOpenedV1.self,
        StaffInvitedV1.self, StaffJoinedV1.self, ShopOpenedV3.self, ShopEditedV2.self, NoticePostedV1.self,
        CampaignPublishedV3.self, CampaignEditedV2.self, CardOpenedV2.self, CardStampedV1.self, StampReversedV1.self,
        CardOpenedV3.self, CampaignPublishedV4.self, CampaignEditedV3.self, CardOpenedV4.self, CampaignPublishedV5.self,
        CampaignEditedV4.self, CardOpenedV5.self, CodeIssuedV1.self, CardStampedV2.self, StampReversedV2.self, CardRedeemedV1.self,
        RedemptionReversedV2.self, MilestoneRedeemedV1.self, MilestoneReversedV1.self, PaperStampedV1.self, PaperStampReversedV1.self,
    ]
}

extension WireType {
    /// Types that ``LoyaltyEvent`` no longer has. Their numbers and names are never used again.
    static let retired: Set<WireType> = []
}

extension LoyaltyEvent {
    /// - Parameter upcasters: only tests replace the default.
    init(stored event: some StoredEvent & ~Escapable, upcasters: [any Upcaster.Type] = Upcasters.all) throws(CodecError) {
        guard let type = WireType(rawValue: event.type.rawValue) else {
            throw CodecError(.unknownType, "event type \(event.type.rawValue) is unknown")
        }
        if event.schemaVersion == type.currentVersion, !WireType.retired.contains(type) {
            try self.init(current: event, type)
        } else if let upcaster = upcasters.first(where: { $0.type == type && $0.version == event.schemaVersion }) {
            self = try upcaster.upcast(event)
        } else {
            throw CodecError(.unknownVersion, "\(type.name) of schema version \(event.schemaVersion) is unknown")
        }
    }
}

enum CampaignEditedV1: Upcaster {
    static let type = WireType.campaignEdited
    static let version: UInt16 = 1
    static let about = "Its texts stood in the clear; they still do."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignEdited.self)
        guard message.options.isEmpty, message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignEdited of version 1 has sealed texts or options")
        }
        return .campaignEdited(try CampaignEdited(message, event))
    }
}

enum CampaignPublishedV1: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 1
    static let about = "Campaigns had neither an image nor caps; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(2)
        let message = try event.message(WireCampaignPublished.self)
        guard message.stampsPerDayMax == 0, message.minimumGapSeconds == 0 else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 1 has caps")
        }
        guard message.options.isEmpty, message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 1 has sealed texts or options")
        }
        return .campaignPublished(try CampaignPublished(message, event))
    }
}

enum CampaignPublishedV2: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 2
    static let about = "Its texts stood in the clear; they still do."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignPublished.self)
        guard message.options.isEmpty, message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 2 has sealed texts or options")
        }
        return .campaignPublished(try CampaignPublished(message, event))
    }
}

enum CardAdjustedV1: Upcaster {
    static let type = WireType.cardAdjusted
    static let version: UInt16 = 1
    static let about = "The reason stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireCardAdjusted.self)
        guard message.sealedReason.isEmpty else {
            throw CodecError(.damagedPayload, "CardAdjusted of version 1 has a sealed reason")
        }
        return .cardAdjusted(try CardAdjusted(message, event))
    }
}

enum CardOpenedV1: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 1
    static let about = "The reward stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        let message = try event.message(WireCardOpened.self)
        try message.expectGoal(version)
        try message.expectNoTerms(version)
        guard message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CardOpened of version 1 has a sealed reward")
        }
        return .cardOpened(try CardOpened(message, event))
    }
}

enum NoticePostedV1: Upcaster {
    static let type = WireType.noticePosted
    static let version: UInt16 = 1
    static let about = "Every notice was posted at once, to everybody or to a shop's customers."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(3)
        let message = try event.message(WireNoticePosted.self)
        guard !message.hasDueAt else { throw CodecError(.damagedPayload, "NoticePosted of version 1 has a due time") }
        return .noticePosted(try NoticePosted(message, to: NoticeAudience(tagged: try event.id(.shop)), event))
    }
}

enum RedemptionReversedV1: Upcaster {
    static let type = WireType.redemptionReversed
    static let version: UInt16 = 1
    static let about = "The reason stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireRedemptionReversed.self)
        guard message.sealedReason.isEmpty else {
            throw CodecError(.damagedPayload, "RedemptionReversed of version 1 has a sealed reason")
        }
        return .redemptionReversed(try RedemptionReversed(message, event))
    }
}

enum ShopEditedV1: Upcaster {
    static let type = WireType.shopEdited
    static let version: UInt16 = 1
    static let about = "Contact data stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopEdited.self)
        guard message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopEdited of version 1 has sealed contact data")
        }
        return .shopEdited(try ShopEdited(message, event, try message.noSchedule()))
    }
}

enum ShopOpenedV1: Upcaster {
    static let type = WireType.shopOpened
    static let version: UInt16 = 1
    static let about = "Shops had no images; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopOpened.self)
        guard message.images.isEmpty, message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopOpened of version 1 has images or sealed contact data")
        }
        return .shopOpened(try ShopOpened(message, event, try message.noSchedule()))
    }
}

enum ShopOpenedV2: Upcaster {
    static let type = WireType.shopOpened
    static let version: UInt16 = 2
    static let about = "Contact data stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopOpened.self)
        guard message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopOpened of version 2 has sealed contact data")
        }
        return .shopOpened(try ShopOpened(message, event, try message.noSchedule()))
    }
}

enum ShopReinstatedV1: Upcaster {
    static let type = WireType.shopReinstated
    static let version: UInt16 = 1
    static let about = "The reason stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopReinstated.self)
        guard message.sealedReason.isEmpty else {
            throw CodecError(.damagedPayload, "ShopReinstated of version 1 has a sealed reason")
        }
        return .shopReinstated(try ShopReinstated(message, event))
    }
}

enum ShopSuspendedV1: Upcaster {
    static let type = WireType.shopSuspended
    static let version: UInt16 = 1
    static let about = "The reason stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopSuspended.self)
        guard message.sealedReason.isEmpty else {
            throw CodecError(.damagedPayload, "ShopSuspended of version 1 has a sealed reason")
        }
        return .shopSuspended(try ShopSuspended(message, event))
    }
}

enum StaffInvitedV1: Upcaster {
    static let type = WireType.staffInvited
    static let version: UInt16 = 1
    static let about = "All staff had the rights of counter staff; they are offered these."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        var message = try event.message(WireStaffInvited.self)
        guard message.role == 0 else { throw CodecError(.damagedPayload, "StaffInvited of version 1 has a role") }
        message.role = try Role.counter.wireField()
        return .staffInvited(try StaffInvited(message, event))
    }
}

enum StaffJoinedV1: Upcaster {
    static let type = WireType.staffJoined
    static let version: UInt16 = 1
    static let about = "All staff had the rights of counter staff; they have these."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectNoPayload()
        var message = WireStaffJoined()
        message.role = try Role.counter.wireField()
        return .staffJoined(try StaffJoined(message, event))
    }
}

enum ShopOpenedV3: Upcaster {
    static let type = WireType.shopOpened
    static let version: UInt16 = 3
    static let about = "Shops had neither a time zone nor opening hours; they live in Asia/Shanghai and say none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopOpened.self)
        return .shopOpened(try ShopOpened(message, event, try message.noSchedule()))
    }
}

enum ShopEditedV2: Upcaster {
    static let type = WireType.shopEdited
    static let version: UInt16 = 2
    static let about = "Shops had neither a time zone nor opening hours; they live in Asia/Shanghai and say none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopEdited.self)
        return .shopEdited(try ShopEdited(message, event, try message.noSchedule()))
    }
}

extension WireShopOpened {
    /// - Throws: `damagedPayload` if the payload has a schedule nevertheless.
    fileprivate func noSchedule() throws(CodecError) -> ShopSchedule {
        guard timeZone.isEmpty, !saysOpeningHours, openingHours.isEmpty else {
            throw CodecError(.damagedPayload, "a ShopOpened of before version 4 has a schedule")
        }
        return ShopSchedule()
    }
}

extension WireShopEdited {
    fileprivate func noSchedule() throws(CodecError) -> ShopSchedule {
        guard timeZone.isEmpty, !saysOpeningHours, openingHours.isEmpty else {
            throw CodecError(.damagedPayload, "a ShopEdited of before version 3 has a schedule")
        }
        return ShopSchedule()
    }
}
