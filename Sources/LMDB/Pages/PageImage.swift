internal import Glibc

/// One page in memory; reads stay within its bounds whatever it contains.
///
/// Layout of LMDB 0.9 (`struct MDB_page`): the page number (u64), a pad (u16, 0 and not read), flags (u16), the end of the pointers (u16),
/// the end of the free space (u16), then a pointer (u16) for each entry.
struct PageImage {
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let overflow: UInt16 = 4
    static let headBytes = 16

    var bytes: [UInt8] = []

    var number: UInt64 { load64(0) }
    var flags: UInt16 { load16(10) }
    var isLeaf: Bool { flags == Self.leaf }
    var lower: Int { Int(load16(12)) }
    var upper: Int { Int(load16(14)) }
    /// Valid only in a value's first page.
    var overflowPages: UInt32 { load32(12) }
    /// Limited to the pointers that fit into the page.
    var count: Int { max(0, min(lower, bytes.count) - Self.headBytes) / 2 }

    func load16(_ offset: Int) -> UInt16 { offset >= 0 && offset + 2 <= bytes.count ? bytes.span.littleEndian16(at: offset) : 0 }

    func load32(_ offset: Int) -> UInt32 { offset >= 0 && offset + 4 <= bytes.count ? bytes.span.littleEndian32(at: offset) : 0 }

    func load64(_ offset: Int) -> UInt64 { offset >= 0 && offset + 8 <= bytes.count ? bytes.span.littleEndian64(at: offset) : 0 }

    /// The fields are not checked, so they may point anywhere.
    func node(_ index: Int) -> PageNode {
        let offset = Int(load16(Self.headBytes + 2 * index))
        let (low, high, flags) = (load16(offset), load16(offset + 2), load16(offset + 4))
        let size = Int(low) | Int(high) << 16
        return PageNode(
            offset: offset, flags: flags, keyBytes: Int(load16(offset + 6)), valueBytes: size,
            child: UInt64(size) | UInt64(flags) << 32)
    }

    /// Nil if the key does not lie within the page, or an integer key has not eight bytes.
    func key(_ node: PageNode, isInteger: Bool) -> PageKey? {
        guard node.key.upperBound <= bytes.count else { return nil }
        if !isInteger { return PageKey(number: 0, bytes: Array(bytes[node.key])) }
        return node.keyBytes == 8 ? PageKey(number: load64(node.key.lowerBound), bytes: []) : nil
    }
}

extension PageImage {
    /// A page, or a part of one, with fewer bytes at the file's end.
    init(_ descriptor: Int32, at offset: Int, count: Int) {
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // SAFETY: reads at most the buffer's bytes, and returns their number.
            unsafe filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
        }
    }

    /// Nil if every byte belongs to the head, a pointer, an entry, or the free space. Keys are not checked.
    func problem(number expected: UInt64, isLeaf: Bool) -> String? {
        if number != expected { return "it says that it is page \(number)" }
        if flags != (isLeaf ? Self.leaf : Self.branch) { return "its flags are \(flags), and it should be a \(isLeaf ? "leaf" : "branch")" }
        guard lower >= Self.headBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
            return "its free space goes from \(lower) to \(upper)"
        }
        return count == 0 ? "it has no entries" : nodeProblem(isLeaf)
    }

    /// LMDB packs entries from the page's end, without gap or overlap.
    private func nodeProblem(_ isLeaf: Bool) -> String? {
        var end = bytes.count
        var isDescending = true
        for index in 0..<count {
            let node = node(index)
            guard node.offset >= upper, node.offset % 2 == 0, node.offset + node.size(inLeaf: isLeaf) <= bytes.count else {
                return "entry \(index) lies at \(node.offset), outside of the page's entries"
            }
            if node.offset + node.size(inLeaf: isLeaf) != end { isDescending = false }
            end = node.offset
        }
        return isDescending && end == upper ? nil : packingProblem(isLeaf)
    }

    private func packingProblem(_ isLeaf: Bool) -> String? {
        var end = bytes.count
        for node in (0..<count).map({ node($0) }).sorted(by: { $0.offset > $1.offset }) {
            guard node.offset + node.size(inLeaf: isLeaf) == end else { return "its entries overlap or leave a gap at \(end)" }
            end = node.offset
        }
        return end == upper ? nil : "its entries begin at \(end), and the free space ends at \(upper)"
    }
}

extension PageImage {
    /// - Parameter mayBeLonger: a value may have more pages than it needs, because it has replaced a larger one.
    func problemOfBigValues(in file: PageFile, mayBeLonger: Bool, census: inout PageCensus, pages: inout UInt64) -> String? {
        for index in 0..<count {
            let node = node(index)
            guard node.isBig else { continue }
            let first = load64(node.key.upperBound)
            if let problem = Self.problem(of: node, at: first, in: file, mayBeLonger, census: &census, pages: &pages) {
                return "entry \(index): \(problem)"
            }
        }
        return nil
    }

    private static func problem(
        of node: PageNode, at first: UInt64, in file: PageFile, _ mayBeLonger: Bool, census: inout PageCensus, pages: inout UInt64
    ) -> String? {
        var head = PageImage()
        let isRead = file.read(headBytes, from: first, at: 0, into: &head.bytes)
        let needed = UInt64((headBytes - 1 + node.valueBytes) / file.pageBytes + 1)
        let count = mayBeLonger ? max(needed, UInt64(head.overflowPages)) : needed
        for page in 0..<count {
            if let problem = census.take(first &+ page) { return problem }
        }
        pages += count
        guard isRead else { return "the file does not hold page \(first)" }
        if head.number != first { return "page \(first) says that it is page \(head.number)" }
        if head.flags != overflow { return "page \(first) has the flags \(head.flags), and should be a big value's" }
        return head.overflowPages == count ? nil : "page \(first) says that it has \(head.overflowPages) pages, not \(count)"
    }
}

/// One entry of a page (`struct MDB_node`): a key and a child, or a key and a value.
struct PageNode {
    static let headBytes = 8
    static let bigValue: UInt16 = 1
    static let subTree: UInt16 = 2

    let offset: Int
    let flags: UInt16
    let keyBytes: Int
    let valueBytes: Int
    let child: UInt64

    var key: Range<Int> { offset + Self.headBytes..<offset + Self.headBytes + keyBytes }
    var isBig: Bool { flags & Self.bigValue != 0 }

    /// Rounded up to an even number as LMDB does.
    func size(inLeaf: Bool) -> Int {
        let value = inLeaf ? (isBig ? 8 : valueBytes) : 0
        return (Self.headBytes + keyBytes + value + 1) & ~1
    }
}

/// A key as stored, ordered as in its table.
struct PageKey: Hashable, Comparable, CustomStringConvertible {
    /// 0 in tables of bytes.
    let number: UInt64
    /// Empty in tables of integers, so that comparing numbers is fast.
    let bytes: [UInt8]

    static func < (left: PageKey, right: PageKey) -> Bool {
        left.number == right.number ? left.bytes.lexicographicallyPrecedes(right.bytes) : left.number < right.number
    }

    var description: String { bytes.isEmpty ? "\(number)" : "\(bytes)" }
}
