internal import Crypto

extension VerifierKey {
    /// Whether a signature line claims to be by this key.
    func claims(_ signature: NoteSignature) -> Bool { signature.keyID == id && signature.name == name }

    /// What a signature of this key over a note's text says; nil when it does not verify or its kind is not verifiable.
    func verified(_ signature: NoteSignature, over text: ExactText) -> VerifiedSignature? {
        switch kind {
        case .ed25519:
            return isValid(signature.bytes[...], for: text.bytes) ? VerifiedSignature(key: self, time: nil) : nil
        case .cosignature:
            guard let stamped = CosignedMessage.parse(signature.bytes), (try? Checkpoint(text: text.string)) != nil,
                isValid(stamped.signature, for: CosignedMessage.bytes(time: stamped.time, text: text))
            else { return nil }
            return VerifiedSignature(key: self, time: stamped.time)
        default: return nil
        }
    }

    private func isValid(_ signature: ArraySlice<UInt8>, for message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}
