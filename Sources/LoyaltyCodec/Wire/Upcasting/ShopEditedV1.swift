internal import EventLog
internal import Loyalty

/// How shops were edited before their contact data was sealed.
enum ShopEditedV1: Upcaster {
    static let type = WireType.shopEdited
    static let version: UInt16 = 1
    static let about = "Contact data stood in the clear; it still does."

    static func upcast(_ event: some StoredEvent & ~Escapable) throws(CodecError) -> LoyaltyEvent {
        let message = try event.message(WireShopEdited.self)
        guard message.sealedContact.isEmpty else {
            throw CodecError(.damagedPayload, "ShopEdited of version 1 has sealed contact data")
        }
        return .shopEdited(try ShopEdited(message, event))
    }
}
