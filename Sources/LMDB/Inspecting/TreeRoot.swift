/// What the file says of one tree of pages (`struct MDB_db`): where it begins and what it should amount to.
public struct TreeRoot: Hashable, Sendable {
    /// Bytes of the stored form.
    static let byteCount = 48
    /// The root of an empty tree.
    static let none = UInt64.max
    /// The flag of a table of integers.
    static let integerKeys: UInt16 = 8

    /// Bytes of a page in the first tree of a head page; 0 in every other one of ours.
    let pad: UInt32
    let flags: UInt16
    /// Pages from the root to a leaf.
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    /// How many entries it should have.
    public let entries: UInt64
    let root: UInt64

    /// The tree at an offset of some bytes; traps when they are too few.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        pad = bytes.littleEndian32(at: offset)
        flags = bytes.littleEndian16(at: offset + 4)
        depth = bytes.littleEndian16(at: offset + 6)
        branchPages = bytes.littleEndian64(at: offset + 8)
        leafPages = bytes.littleEndian64(at: offset + 16)
        overflowPages = bytes.littleEndian64(at: offset + 24)
        entries = bytes.littleEndian64(at: offset + 32)
        root = bytes.littleEndian64(at: offset + 40)
    }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { root == Self.none }
    var isInteger: Bool { flags & Self.integerKeys != 0 }
}
