public import Loyalty

/// Encrypts personal data for its one person, and reads it back as long as that person's key exists.
public enum Sealing {
    /// In bytes. A nonce must never be used twice under one key: with 96 random bits and the few fields that an account has,
    /// it is not.
    public static let nonceLength = AuthenticatedBox.nonceLength

    /// The text as it may stand in an event: 29 bytes longer than its UTF-8.
    ///
    /// - Parameter nonce: 12 random bytes, never used before under this key.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public static func seal(
        _ text: String, field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        try seal(Array(text.utf8), field: field, of: account, under: key, nonce: nonce)
    }

    /// The same of bytes.
    static func seal(
        _ plain: [UInt8], field: SealedField, of account: AccountID, under key: DataKey, nonce: [UInt8]
    ) throws(CodecError) -> Sealed {
        Sealed(try AuthenticatedBox.seal(plain, under: key.key, nonce: nonce, context: context(field, account)))
    }

    /// The text, or nil where key, account or field is another one or any bit was changed.
    public static func open(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> String? {
        openBytes(sealed, field: field, of: account, under: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    static func openBytes(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> [UInt8]? {
        AuthenticatedBox.open(sealed.bytes, under: key.key, context: context(field, account))
    }

    /// Field label ‖ account id. The id has a fixed length, so that no two pairs give the same bytes.
    private static func context(_ field: SealedField, _ account: AccountID) -> [UInt8] {
        Array(field.rawValue.utf8) + account.value.bigEndianBytes
    }
}
