internal import Crypto

/// Signs notes with a named Ed25519 key (RFC 8032).
///
/// Never sign two checkpoints of diverging trees, and never sign a checkpoint before its tree is durable: two contradicting signatures
/// prove that the log misbehaved. On Linux the library's Ed25519 is deterministic, so that signing a text twice gives the same bytes. On
/// Apple systems it gives different bytes that are also valid.
public struct NoteSigner: Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes of a seed.
    public static let seedBytes = 32

    /// The public key for verification.
    public let verifierKey: VerifierKey
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a signer from a secret seed of 32 bytes. A log signs with `.ed25519`, a witness with `.cosignature`.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey`` for an invalid key name, any other kind, or a seed of another length.
    public init(name: String, seed: [UInt8], kind: SignatureKind = .ed25519) throws(MerkleError) {
        guard seed.count == Self.seedBytes, kind.isVerifiable, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { throw MerkleError(.malformedKey, "a seed of \(seed.count) bytes for kind \(kind)") }
        self.key = key
        verifierKey = try VerifierKey(name: name, kind: kind, publicKey: Array(key.publicKey.rawRepresentation))
    }

    /// Signs a text as a note.
    ///
    /// - Throws: as ``SignedNote/init(text:signatures:)``; ``MerkleError/Code-swift.struct/malformedKey`` for a witness's key.
    public func sign(_ text: String) throws(MerkleError) -> SignedNote {
        guard verifierKey.kind == .ed25519 else { throw MerkleError(.malformedKey, "a witness's key signs checkpoints only") }
        return try SignedNote(text: text, signatures: [signature(try signed(Array(text.utf8)))])
    }

    /// Signs a checkpoint as a witness. The signature states that at `time`, in seconds since 1970, this was the largest tree of the log
    /// that the witness had seen, and that it continued every tree of the log that the witness had seen before (C2SP tlog-cosignature).
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

    /// The public key only; the secret key is never printed.
    public var description: String { "signer of \(verifierKey)" }

    /// The public key only; the secret key is never dumped.
    public var customMirror: Mirror { Mirror(self, children: ["verifierKey": verifierKey]) }
}
