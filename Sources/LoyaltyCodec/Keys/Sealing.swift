public import Loyalty
internal import SwiftProtobuf

/// Encrypts data of one person or one shop, and decrypts it while that person's or shop's key exists.
///
/// A shop has a key of its own, like an account. Its contact data is erased with its owner, but stays readable if the shop is transferred
/// to another owner. Decisions never decrypt data. The caller that seals the texts of an edit names the version that the edit is based on,
/// and the decision compares versions. A reason is sealed under the key of the shop or the account that it is about. A reason about a card
/// is sealed under the key of the card's holder, and a reason about a paper card that nobody has taken under the shop's key.
public enum Sealing {
    /// The length of a nonce in bytes. A nonce must never be used twice with one key. With 96 random bits and the few sealed texts under
    /// one key, a repetition is extremely unlikely.
    public static let nonceLength = AuthenticatedBox.nonceLength

    /// The encrypted text, 29 bytes longer than its UTF-8.
    ///
    /// - Parameter nonce: 12 random bytes, never used before under this key.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public static func seal(
        _ text: String, field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        try seal(Array(text.utf8), field: field, of: account, under: key, nonce: nonce)
    }

    /// Encrypts bytes in the same way as a text.
    static func seal(
        _ plain: [UInt8], field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        Sealed(try AuthenticatedBox.seal(plain, under: key.key, nonce: nonce, context: context(field, account)))
    }

    /// The decrypted text; nil if key, account or field is wrong, if any bit was changed, or if the bytes are no UTF-8.
    public static func open(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> String? {
        openBytes(sealed, field: field, of: account, under: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func openBytes(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> [UInt8]? {
        AuthenticatedBox.open(sealed.bytes, under: key.key, context: context(field, account))
    }

    /// The bytes that are authenticated with a sealed text: the field's label, then the account's id. The id has a fixed length, so no two
    /// pairs of field and account give the same bytes.
    private static func context(_ field: SealedField, _ account: AccountID) -> [UInt8] {
        Array(field.rawValue.utf8) + account.value.bigEndianBytes
    }
}

/// The kind of personal data that sealed bytes contain. The kind is authenticated: for example, the sealed bytes of a review's text are
/// refused where a phone number is expected.
public enum SealedField: String, Hashable, Sendable, CaseIterable {
    /// An account's phone number, in E.164.
    case phone = "greentea/v1/sealed/phone"
    /// A person's nickname.
    case nickname = "greentea/v1/sealed/nickname"
    /// The id of a person's image.
    case avatar = "greentea/v1/sealed/avatar"
    case gender = "greentea/v1/sealed/gender"
    /// A person's birthday as YYYY-MM-DD.
    case birthday = "greentea/v1/sealed/birthday"
    case city = "greentea/v1/sealed/city"
    /// A slow hash of a password, with its method and salt.
    case password = "greentea/v1/sealed/password"
    /// A review's text.
    case reviewText = "greentea/v1/sealed/review-text"
    /// A reply's text.
    case replyText = "greentea/v1/sealed/reply-text"
    /// A notice's title.
    case noticeTitle = "greentea/v1/sealed/notice-title"
    /// A notice's text.
    case noticeText = "greentea/v1/sealed/notice-text"
    /// A message to the operator.
    case feedbackText = "greentea/v1/sealed/feedback-text"
    /// The reason that a person gave, for example for a reversal, an adjustment, a suspension or a closing.
    case reason = "greentea/v1/sealed/reason"
    /// A shop's name, phone number, address and coordinates.
    case shopContact = "greentea/v1/sealed/shop-contact"
    /// A campaign's title.
    case campaignTitle = "greentea/v1/sealed/campaign-title"
    /// A campaign's details.
    case campaignDetails = "greentea/v1/sealed/campaign-details"
    /// A campaign's reward.
    case campaignReward = "greentea/v1/sealed/campaign-reward"
    /// The reward of a campaign's milestone.
    case milestoneReward = "greentea/v1/sealed/milestone-reward"
}

/// The id under which a shop's key is stored. A shop's texts are sealed under the shop's key, so that they are erased with the shop's owner
/// and not with their author.
///
/// The key store has the keys of shops among the keys of accounts, each under its ``keyHolder``. The ids of shops and of accounts are
/// UUIDs, so no two of them are equal.
extension ShopID {
    /// The id under which a shop's key is stored, and to which its sealed texts are bound.
    public var keyHolder: AccountID { AccountID(value) }
}

extension Sealing {
    /// Seals contact data for an event.
    ///
    /// - Parameter nonce: 12 random bytes, never used before under this key.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length; `.fieldOutOfRange` for coordinates that are not on Earth.
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

    /// The decrypted contact data; nil if key or shop is wrong, or if any bit was changed.
    public static func open(_ sealed: Sealed, of shop: ShopID, under key: DataKey) -> ShopContact? {
        guard let bytes = openBytes(sealed, field: .shopContact, of: shop.keyHolder, under: key),
            let message = try? WireShopContact(serializedBytes: bytes)
        else { return nil }
        let location = Coordinate(latitude: message.latitude, longitude: message.longitude)
        guard location.isOnEarth else { return nil }
        return ShopContact(name: message.name, phone: message.phone, address: message.address, location: location)
    }
}
