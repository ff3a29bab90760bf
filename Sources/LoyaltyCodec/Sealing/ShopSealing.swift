public import Loyalty
internal import SwiftProtobuf

/// A shop's words are sealed under a key of its own, so that they go with the shop's owner and not with whoever typed them.
///
/// Shops' keys lie among the accounts', each under its holder's id: ids of both are UUIDs of one kind and never the same.
extension ShopID {
    /// The name under which a shop's key is kept, and what its sealed words are bound to.
    public var keyHolder: AccountID { AccountID(value) }
}

extension Sealing {
    /// Contact data as it may stand in an event.
    ///
    /// - Parameter nonce: 12 random bytes, never used before under this key.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length; `.fieldOutOfRange` for a place that is nowhere on Earth.
    public static func seal(
        _ contact: ShopContact, of shop: ShopID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        var message = WireShopContact()
        message.name = contact.name
        message.phone = contact.phone
        message.address = contact.address
        message.latitude = try contact.location.checked().latitude
        message.longitude = contact.location.longitude
        let bytes: [UInt8]
        do { bytes = try message.serializedBytes() } catch {
            throw CodecError(.damagedPayload, "contact data does not encode: \(error)")
        }
        return try seal(bytes, field: .shopContact, of: shop.keyHolder, under: key, nonce: nonce)
    }

    /// The contact data, or nil where key or shop is another one or any bit was changed.
    public static func open(_ sealed: Sealed, of shop: ShopID, under key: DataKey) -> ShopContact? {
        guard let bytes = openBytes(sealed, field: .shopContact, of: shop.keyHolder, under: key),
            let message = try? WireShopContact(serializedBytes: bytes)
        else { return nil }
        let location = Coordinate(latitude: message.latitude, longitude: message.longitude)
        guard location.isOnEarth else { return nil }
        return ShopContact(name: message.name, phone: message.phone, address: message.address, location: location)
    }
}
