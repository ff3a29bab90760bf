/// A failure to read or verify a proof, a note or a tile.
///
/// It may be shown to the sender of the rejected input: its text repeats only numbers and key names from that input.
public struct MerkleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure.
    public let code: Code
    /// The exact finding, in English.
    public let detail: String

    /// Creates an error of this layer. It is public so that a ``HashSource`` can report a missing hash.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The remedy, in one or two sentences.
    public var remedy: String { code.kind.remedy }

    /// Code, detail and remedy in one line.
    public var description: String { "\(code): \(detail). \(remedy)" }
}

extension MerkleError {
    /// The class of a failure. Compare with `==`, or switch with a `default`, because later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        let kind: Kind

        /// A number that is impossible or does not fit the tree, such as a size, an index, a level or a time; or a tile of the wrong kind.
        public static let outOfRange = Code(kind: .outOfRange)
        /// The storage lacks a hash that the tree must have.
        public static let missingHash = Code(kind: .missingHash)
        /// The number of hashes in a proof does not fit the proof's index and tree sizes.
        public static let proofLength = Code(kind: .proofLength)
        /// A proof leads to a different root: the record, the proof or the root was altered.
        public static let rootMismatch = Code(kind: .rootMismatch)
        /// Bytes that are not a tile or an entry bundle, or a path that is not a tile's path.
        public static let malformedTile = Code(kind: .malformedTile)
        /// Bytes that are not a signed note.
        public static let malformedNote = Code(kind: .malformedNote)
        /// Text that is not a verifier key, or a key name that is not allowed.
        public static let malformedKey = Code(kind: .malformedKey)
        /// A note whose text is not a checkpoint.
        public static let malformedCheckpoint = Code(kind: .malformedCheckpoint)
        /// Text that is not a `.tlog-proof`.
        public static let malformedReceipt = Code(kind: .malformedReceipt)
        /// A signature by a known key does not verify, or a key failed to sign.
        public static let badSignature = Code(kind: .badSignature)
        /// No known key signed the note, or only witnesses did.
        public static let unsigned = Code(kind: .unsigned)
        /// Two different known keys share a name and an id.
        public static let ambiguousKey = Code(kind: .ambiguousKey)
        /// The checkpoint belongs to another log.
        public static let wrongOrigin = Code(kind: .wrongOrigin)
        /// Fewer known witnesses have cosigned than are required.
        public static let tooFewWitnesses = Code(kind: .tooFewWitnesses)
        /// The input is longer, or has more signatures, than ``MerkleLimits`` allows.
        public static let tooLarge = Code(kind: .tooLarge)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// All codes as an enum, so that the compiler reports a code for which no remedy is written.
    enum Kind: String, Sendable {
        case outOfRange, missingHash, proofLength, rootMismatch, malformedTile, malformedNote, malformedKey, malformedCheckpoint
        case malformedReceipt, badSignature, unsigned, ambiguousKey, wrongOrigin, tooFewWitnesses, tooLarge
    }
}

extension MerkleError.Kind {
    var remedy: String {
        switch self {
        case .outOfRange: "Ask for what the tree has."
        case .missingHash: "Stop, keep a copy of the log, and restore it from a backup."
        case .proofLength, .rootMismatch: "Trust neither the record nor who sent it; fetch the proof again from the log."
        case .malformedTile: "Check that it comes from the log's tile folder, and whole."
        case .malformedNote, .malformedCheckpoint, .malformedReceipt: "Check that it arrived whole and unchanged."
        case .malformedKey: "Copy the verifier key again, all of it."
        case .badSignature: "Do not trust it; it was altered, or signed with another key."
        case .unsigned: "Check that the verifier key is this log's."
        case .ambiguousKey: "Give each key a name of its own."
        case .wrongOrigin: "Check which log this is from."
        case .tooFewWitnesses: "Fetch a checkpoint that more witnesses have cosigned."
        case .tooLarge: "Send less."
        }
    }
}

/// The limits of trees, proofs and notes, each with its unit and reason.
public enum MerkleLimits {
    /// The maximum number of leaves of a tree. Sizes fit into 63 bits, because some verifiers use signed numbers for them.
    public static let sizeMax = UInt64(Int64.max)
    /// The maximum number of hashes in an inclusion proof: the height of the largest tree.
    public static let proofHashesMax = 63
    /// The number of hashes in a full tile (C2SP tlog-tiles).
    public static let tileWidth = 256
    /// The highest tile level that a path can name (C2SP tlog-tiles). The largest tree that ``sizeMax`` allows ends at level 7.
    public static let tileLevelMax = 63
    /// The maximum bytes of an entry in a bundle. The entry's length is stored as a `uint16` (C2SP tlog-tiles).
    public static let entryBytesMax = 65_535
    /// The maximum number of signature lines of a note. The specification requires support for at least 16. More than 64 would let a sender
    /// occupy the verifier for long.
    public static let signaturesMax = 64
    /// The maximum bytes of a note, 1 MiB. The maximum of 64 signatures takes a third of this, even if all are post-quantum signatures of 5
    /// kB.
    public static let noteBytesMax = 1 << 20
    /// The maximum bytes of a receipt: room for the largest note, and as much again for the proof and `extra`.
    public static let receiptBytesMax = 2 * noteBytesMax
    /// The maximum bytes of a key's name, which is part of every signature line.
    public static let keyNameBytesMax = 255
    /// The maximum number of extension lines of a checkpoint; the specification advises against any.
    public static let extensionLinesMax = 16
}
