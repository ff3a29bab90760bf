/// A public key as people hand it on: `name+id+base64(kind ‖ public key)` (C2SP signed-note, "vkey").
public struct VerifierKey: Hashable, Sendable, CustomStringConvertible {
    /// Whose key it is: for a log, its origin.
    public let name: ExactText
    /// Computed from all the rest.
    public let id: KeyID
    /// What it signs, and how.
    public let kind: SignatureKind
    /// The public key's own encoding: 32 bytes for Ed25519.
    public let publicKey: [UInt8]

    /// A key from its parts.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey`` for a name that a key may not have, or a public key of
    ///   a wrong length.
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

    /// A key from its text.
    ///
    /// The id is checked for kinds that are known here; other kinds may compute theirs in another way.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedKey``.
    public init(_ text: String) throws(MerkleError) {
        // A name has no plus sign, but Base64 may have some.
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

    /// The key's text, as ``init(_:)`` reads it.
    public var text: String { "\(name)+\(id)+\(Base64.text([kind.rawValue] + publicKey))" }

    /// The same as ``text``.
    public var description: String { text }
}
