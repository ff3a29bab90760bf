public import Loyalty
internal import SwiftProtobuf

/// Encrypts the data of one person or shop, which can be read while the key exists.
///
/// A reason is sealed for the shop or account that it is about: for a card, its holder; for an untaken paper card, the shop.
public enum Sealing {
    /// In bytes. A random 96-bit nonce practically never repeats among the few texts under one key.
    public static let nonceLength = AuthenticatedBox.nonceLength

    /// The encrypted text, 29 bytes longer than its UTF-8.
    ///
    /// - Parameter nonce: 12 random bytes, never used before under this key.
    /// - Throws: `badKey` for a nonce of another length.
    public static func seal(
        _ text: String, field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        try seal(Array(text.utf8), field: field, of: account, under: key, nonce: nonce)
    }

    static func seal(
        _ plain: [UInt8], field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        Sealed(try AuthenticatedBox.seal(plain, under: key.key, nonce: nonce, context: context(field, account)))
    }

    /// nil if key, account or field is wrong, any bit was changed, or the bytes are no UTF-8.
    public static func open(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> String? {
        openBytes(sealed, field: field, of: account, under: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func openBytes(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> [UInt8]? {
        AuthenticatedBox.open(sealed.bytes, under: key.key, context: context(field, account))
    }

    /// The id has a fixed length, so no two pairs of field and account give the same bytes.
    private static func context(_ field: SealedField, _ account: AccountID) -> [UInt8] {
        Array(field.rawValue.utf8) + account.value.bigEndianBytes
    }
}

/// The kind of personal data in sealed bytes. It is authenticated, so one kind is refused where another is expected.
public enum SealedField: String, Hashable, Sendable, CaseIterable {
    /// In E.164.
    case phone = "greentea/v1/sealed/phone"
    case nickname = "greentea/v1/sealed/nickname"
    case avatar = "greentea/v1/sealed/avatar"
    case gender = "greentea/v1/sealed/gender"
    /// YYYY-MM-DD.
    case birthday = "greentea/v1/sealed/birthday"
    case city = "greentea/v1/sealed/city"
    case password = "greentea/v1/sealed/password"
    case reviewText = "greentea/v1/sealed/review-text"
    case replyText = "greentea/v1/sealed/reply-text"
    case noticeTitle = "greentea/v1/sealed/notice-title"
    case noticeText = "greentea/v1/sealed/notice-text"
    case feedbackText = "greentea/v1/sealed/feedback-text"
    case reason = "greentea/v1/sealed/reason"
    /// Name, phone number, address and coordinates.
    case shopContact = "greentea/v1/sealed/shop-contact"
    case campaignTitle = "greentea/v1/sealed/campaign-title"
    case campaignDetails = "greentea/v1/sealed/campaign-details"
    case campaignReward = "greentea/v1/sealed/campaign-reward"
    case milestoneReward = "greentea/v1/sealed/milestone-reward"
    case staffLabel = "greentea/v1/sealed/staff-label"
    /// Name and terms of a saved search.
    case searchTerms = "greentea/v1/sealed/search-terms"
}

/// The keys under which a member's name at a shop is sealed.
public struct LabelKeys: Sendable {
    let shop: DataKey
    let member: DataKey

    public init(shop: DataKey, member: DataKey) { (self.shop, self.member) = (shop, member) }
}

extension Sealing {
    /// A member's name under the shop's key, and these bytes under the member's key: the shop's people wrote it about the member.
    ///
    /// - Parameter nonces: two of 12 random bytes, never used before under these keys.
    public static func seal(
        label: String, of member: AccountID, at shop: ShopID, under keys: LabelKeys, nonces: (shop: [UInt8], member: [UInt8])
    ) throws(CodecError) -> Sealed {
        let inner = try seal(label, field: .staffLabel, of: shop.keyHolder, under: keys.shop, nonce: nonces.shop)
        return try seal(inner.bytes, field: .staffLabel, of: member, under: keys.member, nonce: nonces.member)
    }

    public static func open(label: Sealed, of member: AccountID, at shop: ShopID, under keys: LabelKeys) -> String? {
        let inner = openBytes(label, field: .staffLabel, of: member, under: keys.member)
        return inner.flatMap { open(Sealed($0), field: .staffLabel, of: shop.keyHolder, under: keys.shop) }
    }
}

/// A shop's texts are sealed under its own key, so that they are erased with its owner and not with their author.
extension ShopID {
    /// Ids are UUIDs, so none equals an account's.
    public var keyHolder: AccountID { AccountID(value) }
}

extension Sealing {
    /// Throws `fieldOutOfRange` for coordinates that are not on Earth.
    public static func seal(_ contact: ShopContact, of shop: ShopID, under key: DataKey, nonce: [UInt8]) throws(CodecError) -> Sealed {
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

    public static func open(_ sealed: Sealed, of shop: ShopID, under key: DataKey) -> ShopContact? {
        guard let bytes = openBytes(sealed, field: .shopContact, of: shop.keyHolder, under: key),
            let message = try? WireShopContact(serializedBytes: bytes)
        else { return nil }
        let location = Coordinate(latitude: message.latitude, longitude: message.longitude)
        guard location.isOnEarth else { return nil }
        return ShopContact(name: message.name, phone: message.phone, address: message.address, location: location)
    }
}
