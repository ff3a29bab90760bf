internal import Crypto

/// Signs notes with an Ed25519 key (RFC 8032) under a name.
///
/// Never sign two checkpoints of which neither continues the other, and none before its tree is durable: the signature is what
/// the log can be convicted with. Signing the same text again gives the same bytes on Linux, where the library's Ed25519 is
/// deterministic, and other valid ones on Apple systems.
public struct NoteSigner: Sendable, CustomStringConvertible, CustomReflectable {
    /// Bytes of a seed.
    public static let seedBytes = 32

    /// The public key for verification.
    public let verifierKey: VerifierKey
    private let key: Curve25519.Signing.PrivateKey

    /// A signer from a secret seed of 32 bytes. A log signs with `.ed25519`, a witness with `.cosignature`.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey`` for a name that a key may not have, another kind, or
    ///   another length.
    public init(name: String, seed: [UInt8], kind: SignatureKind = .ed25519) throws(MerkleError) {
        guard seed.count == Self.seedBytes, kind.isVerifiable, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { throw MerkleError(.malformedKey, "a seed of \(seed.count) bytes for kind \(kind)") }
        self.key = key
        verifierKey = try VerifierKey(name: name, kind: kind, publicKey: Array(key.publicKey.rawRepresentation))
    }

    /// The note of a text with this signer's signature under it.
    ///
    /// - Throws: as ``SignedNote/init(text:signatures:)``; ``MerkleError/Code-swift.struct/malformedKey`` for a witness's key.
    public func sign(_ text: String) throws(MerkleError) -> SignedNote {
        guard verifierKey.kind == .ed25519 else { throw MerkleError(.malformedKey, "a witness's key signs checkpoints only") }
        return try SignedNote(text: text, signatures: [signature(try signed(Array(text.utf8)))])
    }

    /// The signature of a witness under a checkpoint: that at `time`, in seconds since 1970, this was the largest tree of the log
    /// that it had seen, and a continuation of all earlier ones (C2SP tlog-cosignature).
    ///
    /// - Throws: ``MerkleError`` `.malformedKey` for a log's key, `.outOfRange` for a time of more than 63 bits.
    public func cosign(_ checkpoint: Checkpoint, time: UInt64) throws(MerkleError) -> NoteSignature {
        guard verifierKey.kind == .cosignature else { throw MerkleError(.malformedKey, "a log's key does not cosign") }
        guard time <= CosignedMessage.timeMax else { throw MerkleError(.outOfRange, "the time \(time)") }
        let message = CosignedMessage.bytes(time: time, text: ExactText(checkpoint.text))
        return signature(CosignedMessage.stamped(time: time, signature: try signed(message)))
    }

    private func signed(_ message: [UInt8]) throws(MerkleError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message))
        } catch {
            throw MerkleError(.badSignature, "the key does not sign: \(error)")
        }
    }

    private func signature(_ bytes: [UInt8]) -> NoteSignature {
        NoteSignature(name: verifierKey.name, keyID: verifierKey.id, bytes: bytes)
    }

    /// The public half; the secret one is never printed.
    public var description: String { "signer of \(verifierKey)" }

    /// The public half; the secret one is never dumped.
    public var customMirror: Mirror { Mirror(self, children: ["verifierKey": verifierKey]) }
}
