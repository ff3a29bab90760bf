/// A signature line of a note: `— name base64(key id ‖ signature)`. Nothing about it is verified.
public struct NoteSignature: Hashable, Sendable, CustomStringConvertible {
    /// An em dash, U+2014, and a space.
    private static let start = "\u{2014} "

    /// The name of the key.
    public let name: ExactText
    /// Which key of that name.
    public let keyID: KeyID
    /// The signature; its form is the kind's. For a cosignature it begins with the time.
    public let bytes: [UInt8]

    init(name: ExactText, keyID: KeyID, bytes: [UInt8]) {
        self.name = name
        self.keyID = keyID
        self.bytes = bytes
    }

    /// A signature from its line without the newline, as a witness hands it out.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedNote``.
    public init(line: String) throws(MerkleError) { try self.init(line: Array(line.utf8)[...]) }

    init(line: ArraySlice<UInt8>) throws(MerkleError) {
        // A name has no space, so the first one ends it.
        let parts = line.dropFirst(Self.start.utf8.count).split(
            separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard line.starts(with: Self.start.utf8), parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
            NoteText.isKeyName(name), let blob = Base64.bytes(parts[1]), blob.count > KeyID.byteCount, let id = KeyID(blob[...])
        else { throw MerkleError(.malformedNote, "a signature line is not of the form: em dash, name, Base64") }
        self.init(name: ExactText(name), keyID: id, bytes: Array(blob.dropFirst(KeyID.byteCount)))
    }

    /// The line, without its newline.
    public var line: String { "\(Self.start)\(name) \(Base64.text(keyID.bytes + bytes))" }

    /// The same as ``line``.
    public var description: String { line }
}
