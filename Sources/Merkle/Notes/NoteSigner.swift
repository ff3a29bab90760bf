internal import Crypto

/// Signs notes with a named Ed25519 key (RFC 8032).
///
/// Never sign checkpoints of diverging trees, nor a checkpoint before its tree is durable: contradicting signatures prove that the log
/// misbehaved. Signatures are deterministic on Linux, but not on Apple systems.
public struct NoteSigner: Sendable, CustomStringConvertible, CustomReflectable {
    public static let seedBytes = 32

    public let verifierKey: VerifierKey
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a signer from a secret seed of 32 bytes: `.ed25519` for a log, `.cosignature` for a witness.
    ///
    /// - Throws: ``MerkleError`` `.malformedKey` for an invalid key name, any other kind, or a seed of another length.
    public init(name: String, seed: [UInt8], kind: SignatureKind = .ed25519) throws(MerkleError) {
        guard seed.count == Self.seedBytes, kind.isVerifiable, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else { throw MerkleError(.malformedKey, "a seed of \(seed.count) bytes for kind \(kind)") }
        self.key = key
        verifierKey = try VerifierKey(name: name, kind: kind, publicKey: Array(key.publicKey.rawRepresentation))
    }

    /// Signs a text as a note.
    ///
    /// - Throws: as ``SignedNote/init(text:signatures:)``; ``MerkleError`` `.malformedKey` for a witness's key.
    public func sign(_ text: String) throws(MerkleError) -> SignedNote {
        guard verifierKey.kind == .ed25519 else { throw MerkleError(.malformedKey, "a witness's key signs checkpoints only") }
        return try SignedNote(text: text, signatures: [signature(try signed(Array(text.utf8)))])
    }

    /// Signs a checkpoint as a witness, which states that at `time`, in seconds since 1970, it had seen no larger tree of this log and that
    /// this tree continues all that it had seen (C2SP tlog-cosignature).
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

    /// The secret key is never dumped.
    public var customMirror: Mirror { Mirror(self, children: ["verifierKey": verifierKey]) }
}
