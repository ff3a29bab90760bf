/// A failure to read or verify a proof, a note or a tile, with its place.
///
/// The text may be shown to the sender of the refused input: it quotes nothing of the input but numbers and key names.
public struct MerkleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure.
    public let code: Code
    /// The exact finding, in English.
    public let detail: String

    /// An error of this layer. Public, so that a ``HashSource`` can say that a hash is missing.
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
    /// The class of a failure. Compare with `==`, or switch with a `default`; codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        let kind: Kind

        /// A size, an index or a level that the tree does not have.
        public static let outOfRange = Code(kind: .outOfRange)
        /// The storage has no hash, or too few, where the tree must have them.
        public static let missingHash = Code(kind: .missingHash)
        /// A proof has more or fewer hashes than one between these sizes.
        public static let proofLength = Code(kind: .proofLength)
        /// A proof leads to another root: the record, the proof or the root was altered.
        public static let rootMismatch = Code(kind: .rootMismatch)
        /// Bytes or a path that are no tile or entry bundle.
        public static let malformedTile = Code(kind: .malformedTile)
        /// Bytes that are no signed note.
        public static let malformedNote = Code(kind: .malformedNote)
        /// Text that is no verifier key, or a key name that may not be one.
        public static let malformedKey = Code(kind: .malformedKey)
        /// A note whose text is no checkpoint.
        public static let malformedCheckpoint = Code(kind: .malformedCheckpoint)
        /// Text that is no `.tlog-proof`.
        public static let malformedReceipt = Code(kind: .malformedReceipt)
        /// A signature by a known key does not verify.
        public static let badSignature = Code(kind: .badSignature)
        /// No known key has signed.
        public static let unsigned = Code(kind: .unsigned)
        /// Two different known keys have one name and one id.
        public static let ambiguousKey = Code(kind: .ambiguousKey)
        /// The checkpoint is that of another log.
        public static let wrongOrigin = Code(kind: .wrongOrigin)
        /// Fewer known witnesses have cosigned than are required.
        public static let tooFewWitnesses = Code(kind: .tooFewWitnesses)
        /// Something is longer than ``MerkleLimits`` allows.
        public static let tooLarge = Code(kind: .tooLarge)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The closed set behind ``Code``, so that the remedies are checked for completeness.
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

/// The bounds of this layer, each with its unit and reason.
public enum MerkleLimits {
    /// Leaves of a tree: sizes fit into 63 bits, as they must for verifiers that count with signed numbers.
    public static let sizeMax = UInt64(Int64.max)
    /// Hashes of an inclusion proof, and of a witness's consistency proof: no tree of 63 bits is higher.
    public static let proofHashesMax = 63
    /// Hashes in a full tile (C2SP tlog-tiles).
    public static let tileWidth = 256
    /// The highest tile level that has a path (C2SP tlog-tiles); trees of 63 bits end at level 7.
    public static let tileLevelMax = 63
    /// Bytes of an entry in a bundle: its length is a `uint16` (C2SP tlog-tiles).
    public static let entryBytesMax = 65_535
    /// Signature lines of a note: the specification asks for at least 16; a note with more than these is an attack on our time.
    public static let signaturesMax = 64
    /// Bytes of a note, 1 MiB: 64 post-quantum signatures of 5 kB and a text fit several times.
    public static let noteBytesMax = 1 << 20
    /// Bytes of a receipt: a note and a proof, with as much again for `extra`.
    public static let receiptBytesMax = 2 * noteBytesMax
    /// The most bytes of a key's name, which is part of every signature line.
    public static let keyNameBytesMax = 255
    /// Extension lines of a checkpoint; the specification advises against any.
    public static let extensionLinesMax = 16
}
