internal import EventLog
internal import Loyalty

/// How shops were opened before they had images.
enum ShopOpenedV1: Upcaster {
    static let type = WireType.shopOpened
    static let version: UInt16 = 1
    static let about = "Shops had no images; there are none."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopOpened.self)
        guard message.images.isEmpty, message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopOpened of version 1 has images or sealed contact data")
        }
        return .shopOpened(try ShopOpened(message, event))
    }
}
