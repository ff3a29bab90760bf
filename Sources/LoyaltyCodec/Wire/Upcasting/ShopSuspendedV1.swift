internal import EventLog
internal import Loyalty

/// How shops were suspended before reasons were sealed.
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
