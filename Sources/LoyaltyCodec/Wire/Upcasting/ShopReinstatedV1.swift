internal import EventLog
internal import Loyalty

/// How shops were reinstated before reasons were sealed.
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
