internal import Glibc

/// One page in memory. Whatever the page contains, reads stay within its bounds.
///
/// Layout of LMDB 0.9 (`struct MDB_page`): the page number (u64), a pad (u16), flags (u16), the end of the pointers (u16), the end of the
/// free space (u16), then a pointer (u16) for each entry. The pad is always 0 in a log's pages and is not read.
struct PageImage {
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2
    static let overflow: UInt16 = 4
    /// Bytes of a page's head, which the pointers follow.
    static let headBytes = 16

    var bytes: [UInt8] = []

    var number: UInt64 { load64(0) }
    var flags: UInt16 { load16(10) }
    var isLeaf: Bool { flags == Self.leaf }
    /// The offset at which the pointers end and the free space begins.
    var lower: Int { Int(load16(12)) }
    /// The offset at which the free space ends and the entries begin.
    var upper: Int { Int(load16(14)) }
    /// The number of pages of a large value; valid only in the value's first page.
    var overflowPages: UInt32 { UInt32(load16(12)) | UInt32(load16(14)) << 16 }
    /// The number of entries, limited to the pointers that fit into the page.
    var count: Int { max(0, min(lower, bytes.count) - Self.headBytes) / 2 }

    func load16(_ offset: Int) -> UInt16 {
        offset >= 0 && offset + 2 <= bytes.count ? bytes.span.littleEndian16(at: offset) : 0
    }

    func load64(_ offset: Int) -> UInt64 {
        offset >= 0 && offset + 8 <= bytes.count ? bytes.span.littleEndian64(at: offset) : 0
    }

    /// The entry with this index, counted from 0. Its fields are not checked, so they may point anywhere.
    func node(_ index: Int) -> PageNode {
        let offset = Int(load16(Self.headBytes + 2 * index))
        let (low, high, flags) = (load16(offset), load16(offset + 2), load16(offset + 4))
        let size = Int(low) | Int(high) << 16
        return PageNode(
            offset: offset, flags: flags, keyBytes: Int(load16(offset + 6)), valueBytes: size,
            child: UInt64(size) | UInt64(flags) << 32)
    }

    /// An entry's key; nil if the key does not lie within the page, or if the table's keys are integers and this key has not eight bytes.
    func key(_ node: PageNode, isInteger: Bool) -> PageKey? {
        guard node.key.upperBound <= bytes.count else { return nil }
        if !isInteger { return PageKey(number: 0, bytes: Array(bytes[node.key])) }
        return node.keyBytes == 8 ? PageKey(number: load64(node.key.lowerBound), bytes: []) : nil
    }
}

extension PageImage {
    /// The reason why the page is not a valid tree page; nil if every byte belongs to the head, a pointer, an entry, or the free space
    /// between them. Keys are not checked.
    func problem(number expected: UInt64, isLeaf: Bool) -> String? {
        if number != expected { return "it says that it is page \(number)" }
        if flags != (isLeaf ? Self.leaf : Self.branch) { return "its flags are \(flags), and it should be a \(isLeaf ? "leaf" : "branch")" }
        guard lower >= Self.headBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
            return "its free space goes from \(lower) to \(upper)"
        }
        return count == 0 ? "it has no entries" : nodeProblem(isLeaf)
    }

    /// The fault of the page's entries; nil if there is none. LMDB packs entries from the end of the page, so together they must fill the
    /// page from ``upper`` to its end, without gap or overlap.
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
    /// Checks the pages that hold the large values of a leaf.
    ///
    /// - Parameter mayBeLonger: whether a value may have more pages than it needs, because it has replaced a larger one.
    /// - Returns: the fault of the first wrong page; nil if there is none.
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
    /// Bytes of an entry's head, which the key follows.
    static let headBytes = 8
    /// Flag: the value is stored on separate pages.
    static let bigValue: UInt16 = 1
    /// Flag: the value is the root of a table.
    static let subTree: UInt16 = 2

    /// The entry's offset in the page.
    let offset: Int
    /// A leaf entry's flags, which state how the value is stored.
    let flags: UInt16
    let keyBytes: Int
    /// The size of a leaf entry's value in bytes, whether it is stored in this page or on pages of its own.
    let valueBytes: Int
    /// The number of the page below a branch entry.
    let child: UInt64

    var key: Range<Int> { offset + Self.headBytes..<offset + Self.headBytes + keyBytes }
    var isBig: Bool { flags & Self.bigValue != 0 }

    /// The size of the entry in its page in bytes, rounded up to an even number as LMDB rounds it.
    func size(inLeaf: Bool) -> Int {
        let value = inLeaf ? (isBig ? 8 : valueBytes) : 0
        return (Self.headBytes + keyBytes + value + 1) & ~1
    }
}

/// A key as stored in a page. Keys compare in the order of their table.
struct PageKey: Hashable, Comparable, CustomStringConvertible {
    /// The key in a table of integers; 0 in other tables.
    let number: UInt64
    /// The key in a table of bytes; empty in other tables, so that comparing numbers is fast.
    let bytes: [UInt8]

    static func < (left: PageKey, right: PageKey) -> Bool {
        left.number == right.number ? left.bytes.lexicographicallyPrecedes(right.bytes) : left.number < right.number
    }

    var description: String { bytes.isEmpty ? "\(number)" : "\(bytes)" }
}

/// Bytes of a file, read without mapping it and decoded with bounds checks.
struct PageBytes {
    private let bytes: [UInt8]

    /// Reads at most `count` bytes: fewer at the end of the file, none if the file cannot be read.
    init(_ descriptor: Int32, at offset: Int, count: Int) {
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // SAFETY: reads at most the buffer's bytes, and returns their number.
            unsafe filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
        }
    }

    var count: Int { bytes.count }

    /// The little-endian number at an offset; 0 if the bytes end before the number does.
    func load<Number: FixedWidthInteger & UnsignedInteger>(_ offset: Int, as: Number.Type) -> Number {
        let width = Number.bitWidth / 8
        guard offset >= 0, offset <= count - width else { return 0 }
        return bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
