/// The state of a log at some size: its name, number of leaves and root (C2SP tlog-checkpoint).
public struct Checkpoint: Hashable, Sendable {
    /// The log's name: its URL without scheme and trailing slash.
    public let origin: ExactText
    /// The number of leaves.
    public let size: UInt64
    public let root: NodeHash
    /// Further lines of another log's checkpoint, kept because the signature covers them.
    public let extensions: [ExactText]

    /// Creates a checkpoint without extension lines.
    ///
    /// - Throws: ``MerkleError`` `.malformedCheckpoint` for an origin that is not one non-empty line, or a size over 63 bits.
    public init(origin: String, size: UInt64, root: NodeHash) throws(MerkleError) {
        guard NoteText.isLine(origin), size <= MerkleLimits.sizeMax else {
            throw MerkleError(.malformedCheckpoint, "an origin that is not one line, or \(size) leaves")
        }
        self.origin = ExactText(origin)
        (self.size, self.root) = (size, root)
        extensions = []
    }

    /// Parses a note's text; ``text`` then equals it.
    ///
    /// - Throws: ``MerkleError`` `.malformedCheckpoint`.
    public init(text: String) throws(MerkleError) {
        var lines = LineReader(Array(text.utf8)[...])
        origin = ExactText(try Self.line(&lines, "origin"))
        guard let size = lines.next().flatMap({ Decimal.number($0, max: MerkleLimits.sizeMax) }) else {
            throw MerkleError(.malformedCheckpoint, "the second line is no size")
        }
        guard let root = lines.next().flatMap(NodeHash.init(base64:)) else {
            throw MerkleError(.malformedCheckpoint, "the third line is no root")
        }
        var extensions: [ExactText] = []
        while !lines.rest.isEmpty, extensions.count <= MerkleLimits.extensionLinesMax {
            extensions.append(ExactText(try Self.line(&lines, "extension")))
        }
        guard extensions.count <= MerkleLimits.extensionLinesMax else {
            throw MerkleError(.malformedCheckpoint, "more than \(MerkleLimits.extensionLinesMax) extension lines")
        }
        (self.size, self.root, self.extensions) = (size, root, extensions)
    }

    private static func line(_ lines: inout LineReader, _ name: String) throws(MerkleError) -> String {
        guard let line = lines.next().flatMap({ String(validating: $0, as: UTF8.self) }), NoteText.isLine(line) else {
            throw MerkleError(.malformedCheckpoint, "a line (\(name)) is empty, cut off, or has control characters")
        }
        return line
    }

    /// The text to sign, one part per line.
    public var text: String {
        ([origin.string, "\(size)", root.base64] + extensions.map(\.string)).map { $0 + "\n" }.joined()
    }

    /// Signs the checkpoint with the log's key.
    ///
    /// - Throws: as ``NoteSigner/sign(_:)``.
    public func signed(by signer: NoteSigner) throws(MerkleError) -> SignedNote { try signer.sign(text) }
}

extension Checkpoint {
    /// Whether a text is a valid log name: a URL without scheme and trailing slash that is also a valid key name (C2SP tlog-checkpoint):
    /// one line of at most ``MerkleLimits/keyNameBytesMax`` bytes without spaces and plus signs.
    public static func isOrigin(_ text: String) -> Bool {
        NoteText.isKeyName(text) && text.utf8.last != UInt8(ascii: "/") && !text.contains("://")
    }
}
