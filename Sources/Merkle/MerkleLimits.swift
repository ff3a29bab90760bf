/// What this layer accepts: every bound, with its unit and reason.
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
    /// Bytes of a key's name, which stands in every signature line.
    public static let keyNameBytesMax = 255
    /// Extension lines of a checkpoint; the specification advises against any.
    public static let extensionLinesMax = 16
}
