internal import EventLog
internal import Loyalty

/// How shops were opened before their contact data was sealed.
enum ShopOpenedV2: Upcaster {
    static let type = WireType.shopOpened
    static let version: UInt16 = 2
    static let about = "Contact data stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopOpened.self)
        guard message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopOpened of version 2 has sealed contact data")
        }
        return .shopOpened(try ShopOpened(message, event))
    }
}
