internal import EventLog
internal import Loyalty

/// How cards were adjusted before reasons were sealed.
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
