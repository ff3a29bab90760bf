/// A failure to read or verify a proof, a note or a tile. Its text may be shown to the input's sender: it repeats only numbers and key
/// names.
public struct MerkleError: Error, Sendable, Hashable, CustomStringConvertible {
    public let code: Code
    /// The exact finding, in English.
    public let detail: String

    /// Creates an error; public so that a ``HashSource`` can report a missing hash.
    public init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }

    /// The remedy, in one or two sentences.
    public var remedy: String { code.remedy }

    public var description: String { "\(code): \(detail). \(remedy)" }
}

extension MerkleError {
    /// The class of a failure. Use `==` or a `default`, because later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        let remedy: String

        private init(_ name: String, _ remedy: String) { (description, self.remedy) = (name, remedy) }

        /// An impossible size, index, level or time, or a tile of the wrong kind.
        public static let outOfRange = Code("outOfRange", "Ask for what the tree has.")
        /// The storage lacks a hash that the tree must have.
        public static let missingHash = Code("missingHash", "Stop, keep a copy of the log, and restore it from a backup.")
        /// The number of hashes in a proof does not fit its index and tree sizes.
        public static let proofLength = Code("proofLength", "Trust neither the record nor who sent it; fetch the proof again from the log.")
        /// A proof leads to a different root: the record, the proof or the root was altered.
        public static let rootMismatch = Code("rootMismatch", proofLength.remedy)
        /// The bytes are no tile or entry bundle, or the path is no tile's path.
        public static let malformedTile = Code("malformedTile", "Check that it comes from the log's tile folder, and whole.")
        /// The text cannot be a note's, or the bytes are no signed note.
        public static let malformedNote = Code("malformedNote", "Check that it arrived whole and unchanged.")
        /// The text is no verifier key, or a key name is not allowed.
        public static let malformedKey = Code("malformedKey", "Copy the verifier key again, all of it.")
        /// The note's text is no checkpoint.
        public static let malformedCheckpoint = Code("malformedCheckpoint", malformedNote.remedy)
        /// The text is no `.tlog-proof`.
        public static let malformedReceipt = Code("malformedReceipt", malformedNote.remedy)
        /// A signature by a known key does not verify, or a key failed to sign.
        public static let badSignature = Code("badSignature", "Do not trust it; it was altered, or signed with another key.")
        /// No known key signed the note, or only witnesses did.
        public static let unsigned = Code("unsigned", "Check that the verifier key is this log's.")
        /// Two different known keys share a name and an id.
        public static let ambiguousKey = Code("ambiguousKey", "Give each key a name of its own.")
        /// The checkpoint belongs to another log.
        public static let wrongOrigin = Code("wrongOrigin", "Check which log this is from.")
        /// Fewer known witnesses than required have cosigned the checkpoint.
        public static let tooFewWitnesses = Code("tooFewWitnesses", "Fetch a checkpoint that more witnesses have cosigned.")
        /// The input exceeds ``MerkleLimits``.
        public static let tooLarge = Code("tooLarge", "Send less.")
    }
}
