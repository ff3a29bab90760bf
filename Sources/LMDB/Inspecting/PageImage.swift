/// One page in memory, read in bounds whatever it holds.
///
/// Layout of LMDB 0.9 (`struct MDB_page`): number u64, pad u16, flags u16, ends of the pointers and of the free space u16 each,
/// then a pointer u16 for each entry. The pad is never set for the pages of a log and never read.
struct PageImage {
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let overflow: UInt16 = 4
    /// Bytes before the pointers.
    static let headBytes = 16

    var bytes: [UInt8] = []

    var number: UInt64 { load64(0) }
    var flags: UInt16 { load16(10) }
    var isLeaf: Bool { flags == Self.leaf }
    /// Where the pointers end and the free space begins.
    var lower: Int { Int(load16(12)) }
    /// Where the free space ends and the entries begin.
    var upper: Int { Int(load16(14)) }
    /// Of the first page of a big value: how many pages it has.
    var overflowPages: UInt32 { UInt32(load16(12)) | UInt32(load16(14)) << 16 }
    /// Entries, as far as the page has room for their pointers.
    var count: Int { max(0, min(lower, bytes.count) - Self.headBytes) / 2 }

    func load16(_ offset: Int) -> UInt16 {
        offset >= 0 && offset + 2 <= bytes.count ? bytes.span.littleEndian16(at: offset) : 0
    }

    func load64(_ offset: Int) -> UInt64 {
        offset >= 0 && offset + 8 <= bytes.count ? bytes.span.littleEndian64(at: offset) : 0
    }

    /// An entry, counted from 0; its fields may point anywhere.
    func node(_ index: Int) -> PageNode {
        let offset = Int(load16(Self.headBytes + 2 * index))
        let (low, high, flags) = (load16(offset), load16(offset + 2), load16(offset + 4))
        let size = Int(low) | Int(high) << 16
        return PageNode(
            offset: offset, flags: flags, keyBytes: Int(load16(offset + 6)), valueBytes: size,
            child: UInt64(size) | UInt64(flags) << 32)
    }

    /// An entry's key; nil when it does not lie within the page, or is no integer where it must be.
    func key(_ node: PageNode, isInteger: Bool) -> PageKey? {
        guard node.key.upperBound <= bytes.count else { return nil }
        if !isInteger { return PageKey(number: 0, bytes: Array(bytes[node.key])) }
        return node.keyBytes == 8 ? PageKey(number: load64(node.key.lowerBound), bytes: []) : nil
    }
}
