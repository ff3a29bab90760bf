internal import EventLog
internal import Loyalty

/// How campaigns were published before they had an image and caps.
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
        guard message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 1 has sealed texts")
        }
        return .campaignPublished(try CampaignPublished(message, event))
    }
}
