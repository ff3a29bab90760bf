internal import EventLog
internal import Loyalty

/// How campaigns were edited before their texts were sealed.
enum CampaignEditedV1: Upcaster {
    static let type = WireType.campaignEdited
    static let version: UInt16 = 1
    static let about = "Its texts stood in the clear; they still do."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(event.image == nil ? 2 : 3)
        let message = try event.message(WireCampaignEdited.self)
        guard message.sealedTitle.isEmpty, message.sealedDetails.isEmpty, message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CampaignEdited of version 1 has sealed texts")
        }
        return .campaignEdited(try CampaignEdited(message, event))
    }
}
