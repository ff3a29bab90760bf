public import Loyalty

/// Data keys are stored wrapped by the master secret and bound to their account.
extension Keys {
    /// The data key as it may be stored: 61 bytes, bound to the account.
    ///
    /// - Parameter nonce: 12 random bytes, never used before.
    /// - Throws: `CodecError.Code.badKey` for a nonce of another length.
    public func wrap(_ dataKey: DataKey, for account: AccountID, nonce: [UInt8]) throws(CodecError) -> [UInt8] {
        try AuthenticatedBox.seal(dataKey.bytes, under: wrapping, nonce: nonce, context: account.value.bigEndianBytes)
    }

    /// The data key that was wrapped for this account.
    ///
    /// - Throws: `CodecError.Code.badKey` where the bytes were wrapped for another account, by another master secret, or changed.
    public func unwrap(_ bytes: [UInt8], for account: AccountID) throws(CodecError) -> DataKey {
        guard let plain = AuthenticatedBox.open(bytes, under: wrapping, context: account.value.bigEndianBytes) else {
            throw CodecError(.badKey, "the wrapped data key of \(account.text) does not open under this master secret")
        }
        return try DataKey(bytes: plain)
    }
}
