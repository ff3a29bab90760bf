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
        let context = context(field, account)
        return Sealed(try AuthenticatedBox.seal(Array(text.utf8), under: key.key, nonce: nonce, context: context))
    }

    /// The text, or nil where key, account or field is another one or any bit was changed.
    public static func open(_ sealed: Sealed, field: SealedField, of account: AccountID, under key: DataKey) -> String? {
        AuthenticatedBox.open(sealed.bytes, under: key.key, context: context(field, account))
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Field label ‖ account id. The id has a fixed length, so that no two pairs give the same bytes.
    private static func context(_ field: SealedField, _ account: AccountID) -> [UInt8] {
        Array(field.rawValue.utf8) + account.value.bigEndianBytes
    }
}
