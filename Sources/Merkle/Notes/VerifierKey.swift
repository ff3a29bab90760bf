internal import Crypto

/// A public key, with the text form `name+id+base64(kind ‖ public key)` (C2SP signed-note, "vkey").
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// The key's name; for a log, its origin.
    public let name: ExactText
    /// For the kinds known here, computed from name, kind and public key.
    public let id: KeyID
    public let kind: SignatureKind
    /// The encoded public key: 32 bytes for Ed25519.
    public let publicKey: [UInt8]

    /// Creates a key from its parts.
    ///
    /// - Throws: ``MerkleError`` `.malformedKey` for an invalid key name, or a public key of a wrong length.
    public init(name: String, kind: SignatureKind, publicKey: [UInt8]) throws(MerkleError) {
        let name = ExactText(name)
        try self.init(name: name, id: KeyID(name: name, kind: kind, publicKey: publicKey), kind: kind, publicKey: publicKey)
    }

    private init(name: ExactText, id: KeyID, kind: SignatureKind, publicKey: [UInt8]) throws(MerkleError) {
        guard NoteText.isKeyName(name.string) else { throw MerkleError(.malformedKey, "a key may not have this name") }
        guard !publicKey.isEmpty, publicKey.count == kind.publicKeyBytes ?? publicKey.count else {
            throw MerkleError(.malformedKey, "a public key of \(publicKey.count) bytes for kind \(kind)")
        }
        (self.name, self.id, self.kind, self.publicKey) = (name, id, kind, publicKey)
    }

    /// Parses a key's text, and checks the id of a kind known here. Other kinds may compute it differently.
    ///
    /// - Throws: ``MerkleError`` `.malformedKey`.
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

    public var description: String { text }
}

extension VerifierKey {
    func claims(_ signature: NoteSignature) -> Bool { signature.keyID == id && signature.name == name }

    /// Nil if the signature is invalid or not verifiable here, or a cosignature of a text that is no checkpoint.
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

/// Four bytes that distinguish keys of the same name. Different keys may share an id.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 4
    /// The four bytes as a big-endian number.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.byteCount else { return nil }
        rawValue = bytes.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The first four bytes of SHA-256(name ‖ newline ‖ kind ‖ public key) (C2SP signed-note).
    init(name: ExactText, kind: SignatureKind, publicKey: [UInt8]) {
        let digest = SHA256.hash(data: name.bytes + [LineReader.newline, kind.rawValue] + publicKey)
        rawValue = digest.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt32($1) }
    }

    var bytes: [UInt8] { (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - 8 * $0)) } }

    /// Eight hexadecimal digits.
    public var description: String { Hexadecimal.text(bytes) }
}

/// A key's type byte (C2SP signed-note), which determines the signature algorithm and the signed message.
public struct SignatureKind: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    /// Creates a kind from any byte. Signatures of kinds that are not named below are never verified.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ed25519 over the note's text: a log's signature under its checkpoints.
    public static let ed25519 = SignatureKind(rawValue: 0x01)
    /// Ed25519 over a time and a checkpoint: a witness's signature (C2SP tlog-cosignature).
    public static let cosignature = SignatureKind(rawValue: 0x04)
    /// ML-DSA-44 over a time and a tree head (C2SP tlog-cosignature). Recognized, not verified.
    public static let cosignatureMLDSA44 = SignatureKind(rawValue: 0x06)

    /// Nil for an unknown kind.
    var publicKeyBytes: Int? {
        switch self {
        case .ed25519, .cosignature: 32
        case .cosignatureMLDSA44: 1_312
        default: nil
        }
    }

    /// Whether this library verifies signatures of this kind; others are ignored.
    public var isVerifiable: Bool { self == .ed25519 || self == .cosignature }

    public var description: String { Hexadecimal.text([rawValue]) }
}
