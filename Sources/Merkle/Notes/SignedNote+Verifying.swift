extension SignedNote {
    /// The signatures by known keys, all of which verify (C2SP signed-note, "Signatures").
    ///
    /// A key is a name and an id. Lines of other keys are ignored, and so are those of known keys whose kind cannot be verified
    /// here. Every line of a known key is verified: one bad one refuses the note, whatever else stands there.
    ///
    /// - Throws: ``MerkleError`` `.badSignature`; `.unsigned` when no known key has signed; `.ambiguousKey` when two of the known
    ///   keys differ but share name and id.
    public func verifiedSignatures(by keys: [VerifierKey]) throws(MerkleError) -> [VerifiedSignature] {
        var verified: [VerifiedSignature] = []
        for signature in signatures {
            guard let key = try Self.key(of: signature, among: keys), key.kind.isVerifiable else { continue }
            guard let one = key.verified(signature, over: text) else {
                throw MerkleError(.badSignature, "the signature of \(key.name) (\(key.id))")
            }
            if !verified.contains(where: { $0.key == key }) { verified.append(one) }
        }
        guard !verified.isEmpty else { throw MerkleError(.unsigned, "none of \(keys.count) known keys has signed") }
        return verified
    }

    private static func key(of signature: NoteSignature, among keys: [VerifierKey]) throws(MerkleError) -> VerifierKey? {
        guard let key = keys.first(where: { $0.claims(signature) }) else { return nil }
        guard !keys.contains(where: { $0.claims(signature) && $0 != key }) else {
            throw MerkleError(.ambiguousKey, "two keys are \(key.name) (\(key.id))")
        }
        return key
    }
}
