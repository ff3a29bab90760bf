/// A text with signatures under it that a person can read (C2SP signed-note).
///
/// Parsing says nothing about who signed: ``verifiedSignatures(by:)`` does.
public struct SignedNote: Hashable, Sendable {
    /// What is signed, with its last newline.
    public let text: ExactText
    /// The signatures in the order of their lines; at least one.
    public let signatures: [NoteSignature]

    /// A note from its parts.
    ///
    /// - Throws: ``MerkleError`` `.malformedNote` for a text that does not end with a newline or has other control characters, or
    ///   without signatures; `.tooLarge` beyond ``MerkleLimits/signaturesMax`` or ``MerkleLimits/noteBytesMax``.
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

    /// A note from its bytes: valid UTF-8, split at the last empty line. The bytes come out of ``bytes`` again as they were.
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

    /// The note as it is stored and sent.
    public var bytes: [UInt8] {
        Array((text.string + "\n" + signatures.map { $0.line + "\n" }.joined()).utf8)
    }

    /// The note with further signatures under it, as witnesses hand them out.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/tooLarge``.
    public func adding(_ more: [NoteSignature]) throws(MerkleError) -> SignedNote {
        try SignedNote(text: text.string, signatures: signatures + more)
    }

    /// Where the empty line stands that ends the text: the last place with two newlines together.
    private static func endOfText(_ bytes: [UInt8]) -> Int? {
        bytes.indices.dropFirst().last { bytes[$0] == LineReader.newline && bytes[$0 - 1] == LineReader.newline }
    }

    private static func check(size: Int) throws(MerkleError) {
        guard size <= MerkleLimits.noteBytesMax else {
            throw MerkleError(.tooLarge, "a note of \(size) bytes, at most \(MerkleLimits.noteBytesMax)")
        }
    }
}
