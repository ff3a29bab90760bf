internal import Crypto

/// A public key in the text form in which it is exchanged: `name+id+base64(kind ‖ public key)` (C2SP signed-note, "vkey").
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// The name of the key. The key of a log is named after the log's origin.
    public let name: ExactText
    /// The id. For the kinds known here, it is computed from name, kind and public key.
    public let id: KeyID
    /// The kind of signatures that the key makes.
    public let kind: SignatureKind
    /// The encoded public key: 32 bytes for Ed25519.
    public let publicKey: [UInt8]

    /// Creates a key from its parts.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey`` for an invalid key name, or a public key of a wrong length.
    public init(name: String, kind: SignatureKind, publicKey: [UInt8]) throws(MerkleError) {
        let name = ExactText(name)
        try self.init(
            name: name, id: KeyID(name: name, kind: kind, publicKey: publicKey), kind: kind, publicKey: publicKey)
    }

    private init(name: ExactText, id: KeyID, kind: SignatureKind, publicKey: [UInt8]) throws(MerkleError) {
        guard NoteText.isKeyName(name.string) else { throw MerkleError(.malformedKey, "a key may not have this name") }
        guard !publicKey.isEmpty, publicKey.count == kind.publicKeyBytes ?? publicKey.count else {
            throw MerkleError(.malformedKey, "a public key of \(publicKey.count) bytes for kind \(kind)")
        }
        self.name = name
        self.id = id
        self.kind = kind
        self.publicKey = publicKey
    }

    /// Parses a key's text.
    ///
    /// The id is checked only for the kinds known here, because for other kinds it may be computed differently.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey``.
    public init(_ text: String) throws(MerkleError) {
        // Base64 may contain plus signs, but a name cannot.
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let name = String(validating: parts[0], as: UTF8.self),
            let idBytes = Hexadecimal.bytes(parts[1]), idBytes.count == KeyID.byteCount, let id = KeyID(idBytes[...]),
            let material = Base64.bytes(parts[2]), let kind = material.first.map(SignatureKind.init(rawValue:))
        else { throw MerkleError(.malformedKey, "not of the form name+id+base64(kind and public key)") }
        let publicKey = Array(material.dropFirst())
        try self.init(name: ExactText(name), id: id, kind: kind, publicKey: publicKey)
        guard kind.publicKeyBytes == nil || id == KeyID(name: self.name, kind: kind, publicKey: publicKey) else {
            throw MerkleError(.malformedKey, "the id \(id) is not that of this name and key")
        }
    }

    /// The text that ``init(_:)`` parses.
    public var text: String { "\(name)+\(id)+\(Base64.text([kind.rawValue] + publicKey))" }

    /// The key's text, ``text``.
    public var description: String { text }
}

extension VerifierKey {
    /// Whether a signature line carries this key's name and id.
    func claims(_ signature: NoteSignature) -> Bool { signature.keyID == id && signature.name == name }

    /// Verifies a signature of this key over a note's text.
    ///
    /// - Returns: nil if the signature is invalid, if its kind cannot be verified here, or if it is a cosignature and the text is not a
    ///   checkpoint.
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

/// Four bytes that distinguish keys of the same name in signature lines. Two different keys may have the same id.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes of an id.
    static let byteCount = 4
    /// The four bytes as a number, in big-endian order.
    public let rawValue: UInt32

    /// Creates an id from its four bytes, given as a big-endian number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates an id from the first four bytes; nil if there are fewer than four.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        rawValue = bytes.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Computes the id of a key: the first four bytes of SHA-256(name ‖ newline ‖ kind ‖ public key) (C2SP signed-note).
    init(name: ExactText, kind: SignatureKind, publicKey: [UInt8]) {
        let digest = SHA256.hash(data: name.bytes + [LineReader.newline, kind.rawValue] + publicKey)
        rawValue = digest.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    var bytes: [UInt8] { (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - 8 * $0)) } }

    /// Eight hexadecimal digits, as in a verifier key.
    public var description: String { Hexadecimal.text(bytes) }
}

/// The type byte of a key, assigned by C2SP signed-note. It determines the algorithm of the key's signatures and the message that they
/// sign.
public struct SignatureKind: Hashable, Sendable, CustomStringConvertible {
    /// The byte in front of the public key.
    public let rawValue: UInt8

    /// Creates a kind from any byte. Keys of kinds that are not named below are kept, but their signatures are never verified.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ed25519 over the note's text: the signature of a log under its checkpoints.
    public static let ed25519 = SignatureKind(rawValue: 0x01)
    /// Ed25519 over a time and a checkpoint: the signature of a witness (C2SP tlog-cosignature).
    public static let cosignature = SignatureKind(rawValue: 0x04)
    /// ML-DSA-44 over a time and a tree head (C2SP tlog-cosignature). Recognized, but not verified here.
    public static let cosignatureMLDSA44 = SignatureKind(rawValue: 0x06)

    /// The number of bytes of a public key of this kind; nil for a kind that this library does not know.
    var publicKeyBytes: Int? {
        switch self {
        case .ed25519, .cosignature: 32
        case .cosignatureMLDSA44: 1_312
        default: nil
        }
    }

    /// Whether this library can verify signatures of this kind. Other signatures are ignored, like signatures of unknown keys.
    public var isVerifiable: Bool { self == .ed25519 || self == .cosignature }

    /// The type byte as two hexadecimal digits.
    public var description: String { Hexadecimal.text([rawValue]) }
}
