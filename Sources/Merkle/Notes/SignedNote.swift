/// A human-readable text with signatures under it (C2SP signed-note), not verified before ``verifiedSignatures(by:)``.
public struct SignedNote: Hashable, Sendable {
    /// The signed text, with its last newline.
    public let text: ExactText
    /// The signatures in the order of their lines; at least one.
    public let signatures: [NoteSignature]

    /// Creates a note from its parts.
    ///
    /// - Throws: ``MerkleError`` `.malformedNote` if the text does not end with a newline or has other control characters, or without
    ///   signatures; `.tooLarge` beyond ``MerkleLimits/signaturesMax`` or ``MerkleLimits/noteBytesMax``.
    public init(text: String, signatures: [NoteSignature]) throws(MerkleError) {
        guard text.utf8.last == LineReader.newline, NoteText.isFree(ofControls: text.utf8) else {
            throw MerkleError(.malformedNote, "the text does not end with a newline, or has other control characters")
        }
        guard !signatures.isEmpty else { throw MerkleError(.malformedNote, "there is no signature line") }
        guard signatures.count <= MerkleLimits.signaturesMax else {
            throw MerkleError(.tooLarge, "\(signatures.count) signatures, at most \(MerkleLimits.signaturesMax)")
        }
        self.text = ExactText(text)
        self.signatures = signatures
        try Self.check(size: bytes.count)
    }

    /// Parses a note: valid UTF-8, split at the last empty line. ``bytes`` then equals the input.
    ///
    /// - Throws: ``MerkleError`` `.malformedNote`, `.tooLarge`.
    public init(_ bytes: [UInt8]) throws(MerkleError) {
        try Self.check(size: bytes.count)
        guard let end = Self.endOfText(bytes) else { throw MerkleError(.malformedNote, "there is no empty line") }
        guard bytes.last == LineReader.newline, NoteText.isFree(ofControls: bytes),
            let text = String(validating: bytes[..<end], as: UTF8.self)
        else { throw MerkleError(.malformedNote, "not whole lines of UTF-8 without control characters") }
        var lines = LineReader(bytes[(end + 1)...])
        var signatures: [NoteSignature] = []
        while signatures.count <= MerkleLimits.signaturesMax, let line = lines.next() {
            signatures.append(try NoteSignature(line: line))
        }
        try self.init(text: text, signatures: signatures)
    }

    /// The stored and transmitted form.
    public var bytes: [UInt8] { Array((text.string + "\n" + signatures.map { $0.line + "\n" }.joined()).utf8) }

    /// Returns the note with more signatures, such as those of witnesses.
    ///
    /// - Throws: ``MerkleError`` `.tooLarge`.
    public func adding(_ more: [NoteSignature]) throws(MerkleError) -> SignedNote {
        try SignedNote(text: text.string, signatures: signatures + more)
    }

    private static func endOfText(_ bytes: [UInt8]) -> Int? {
        bytes.indices.dropFirst().last { bytes[$0] == LineReader.newline && bytes[$0 - 1] == LineReader.newline }
    }

    private static func check(size: Int) throws(MerkleError) {
        guard size <= MerkleLimits.noteBytesMax else {
            throw MerkleError(.tooLarge, "a note of \(size) bytes, at most \(MerkleLimits.noteBytesMax)")
        }
    }
}

extension SignedNote {
    /// Verifies every signature by a known key, and returns the first of each such key (C2SP signed-note, "Signatures").
    ///
    /// A key is identified by name and ID. Lines of other keys, or of kinds that are not verifiable here, are ignored. One invalid
    /// signature by a known key makes the whole note invalid.
    ///
    /// - Throws: ``MerkleError`` `.badSignature`; `.unsigned` if no known key signed; `.ambiguousKey` if two known keys share a line's name
    ///   and ID.
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

/// The rules for a note's text (C2SP signed-note).
enum NoteText {
    private static let firstPrintable = UInt8(ascii: " ")

    /// In UTF-8, a byte below 0x20 is always a control character.
    static func isFree(ofControls bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= firstPrintable || $0 == LineReader.newline }
    }

    static func isLine(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { $0 >= firstPrintable } }

    static func isKeyName(_ name: String) -> Bool {
        isLine(name) && name.utf8.count <= MerkleLimits.keyNameBytesMax
            && name.unicodeScalars.allSatisfy { $0 != "+" && !$0.properties.isWhitespace }
    }
}

/// An unverified signature line of a note: `— name base64(key id ‖ signature)`.
public struct NoteSignature: Hashable, Sendable, CustomStringConvertible {
    private static let start = "\u{2014} "

    public let name: ExactText
    /// Distinguishes keys of the same name.
    public let keyID: KeyID
    /// The signature in the form of the key's kind. A cosignature begins with the time of signing.
    public let bytes: [UInt8]

    init(name: ExactText, keyID: KeyID, bytes: [UInt8]) { (self.name, self.keyID, self.bytes) = (name, keyID, bytes) }

    /// Parses a signature line, without its newline.
    ///
    /// - Throws: ``MerkleError`` `.malformedNote`.
    public init(line: String) throws(MerkleError) { try self.init(line: Array(line.utf8)[...]) }

    init(line: ArraySlice<UInt8>) throws(MerkleError) {
        let parts = line.dropFirst(Self.start.utf8.count).split(
            separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard line.starts(with: Self.start.utf8), parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
            NoteText.isKeyName(name), let blob = Base64.bytes(parts[1]), blob.count > KeyID.byteCount, let id = KeyID(blob[...])
        else { throw MerkleError(.malformedNote, "a signature line is not of the form: em dash, name, Base64") }
        self.init(name: ExactText(name), keyID: id, bytes: Array(blob.dropFirst(KeyID.byteCount)))
    }

    /// The signature line, without its newline.
    public var line: String { "\(Self.start)\(name) \(Base64.text(keyID.bytes + bytes))" }

    public var description: String { line }
}

/// A signature that has been verified.
public struct VerifiedSignature: Hashable, Sendable {
    public let key: VerifierKey
    /// A witness's time of signing, in seconds since 1970 by its own clock; nil for a log's signature.
    public let time: UInt64?
}
