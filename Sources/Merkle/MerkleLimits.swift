/// The limits of trees, proofs and notes.
public enum MerkleLimits {
    /// The maximum leaves of a tree: 63 bits, because some verifiers use signed numbers.
    public static let sizeMax = UInt64(Int64.max)
    /// The maximum hashes in an inclusion proof: the height of the largest tree.
    public static let proofHashesMax = 63
    /// The hashes in a full tile (C2SP tlog-tiles).
    public static let tileWidth = 256
    /// The highest level that a path can name (C2SP tlog-tiles); trees up to ``sizeMax`` end at level 7.
    public static let tileLevelMax = 63
    /// The maximum bytes of an entry in a bundle, whose length is a `uint16` (C2SP tlog-tiles).
    public static let entryBytesMax = 65_535
    /// The maximum signature lines of a note: at least 16 by the specification; more than 64 would occupy the verifier for long.
    public static let signaturesMax = 64
    /// The maximum bytes of a note. 64 post-quantum signatures of 5 kB take a third.
    public static let noteBytesMax = 1 << 20
    /// The maximum bytes of a receipt: the largest note, and as much for the proof and `extra`.
    public static let receiptBytesMax = 2 * noteBytesMax
    /// The maximum bytes of a key's name, which is in every signature line.
    public static let keyNameBytesMax = 255
    /// The maximum extension lines of a checkpoint; the specification advises against any.
    public static let extensionLinesMax = 16
}
