internal import EventLog
internal import Loyalty

/// How redemptions were reversed before reasons were sealed.
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
