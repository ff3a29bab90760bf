internal import EventLog
internal import Loyalty

/// How cards were opened before their rewards were sealed.
enum CardOpenedV1: Upcaster {
    static let type = WireType.cardOpened
    static let version: UInt16 = 1
    static let about = "The reward stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        try event.expectTags(4)
        let message = try event.message(WireCardOpened.self)
        guard message.sealedReward.isEmpty else {
            throw CodecError(.damagedPayload, "CardOpened of version 1 has a sealed reward")
        }
        return .cardOpened(try CardOpened(message, event))
    }
}
