internal import EventLog
internal import Loyalty

/// How campaigns were published before their texts were sealed.
enum CampaignPublishedV2: Upcaster {
    static let type = WireType.campaignPublished
    static let version: UInt16 = 2
    static let about = "Its texts stood in the clear; they still do."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignPublished.self)
        guard message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignPublished of version 2 has sealed texts")
        }
        return .campaignPublished(try CampaignPublished(message, event))
    }
}
