/// Records which pages a walk has met, because each page may be used only once. It has one bit per page: 32 KiB of memory for each gigabyte
/// of 4 KiB pages.
struct PageCensus {
    private var words: [UInt64]
    private let count: UInt64

    /// Creates a census of the pages with numbers below `count`. Both head pages are marked as used.
    init(count: UInt64) {
        self.count = count
        words = [UInt64](repeating: 0, count: Int(count / 64) + 1)
        _ = take(0)
        _ = take(1)
    }

    /// Marks a page as used.
    ///
    /// - Returns: the fault, if the page does not exist or is used already; otherwise nil.
    mutating func take(_ page: UInt64) -> String? {
        guard page < count else { return "page \(page) lies beyond the last one, \(count - 1)" }
        let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
        if words[word] & bit != 0 { return "page \(page) is used twice" }
        words[word] |= bit
        return nil
    }

    /// Finds at most `limit` pages that nothing uses.
    func untaken(limit: Int) -> [UInt64] {
        var found: [UInt64] = []
        for (index, word) in words.enumerated() where word != UInt64.max {
            for bit in 0..<64 as Range<UInt64> where word >> bit & 1 == 0 {
                let page = UInt64(index) * 64 + bit
                if page >= count || found.count == limit { return found }
                found.append(page)
            }
        }
        return found
    }
}

/// Finds a page that is in use but lies beyond the end of the file.
///
/// A valid file may be shorter than its last page number suggests: pages that one transaction both took and freed are counted but never
/// written. For such a short file, this type walks every tree with plain reads to find where the used pages are. Such files are rare, and
/// the walk costs one read for each page of a tree and for each large value. A file of full length needs no walk.
///
/// Layout of LMDB 0.9 (`struct MDB_page`, `struct MDB_node`, `struct MDB_db`) on 64-bit little-endian machines.
struct ReachablePages {
    private enum Flag {
        static let branch: UInt16 = 1
        static let leaf: UInt16 = 2
        /// A leaf of fixed-size numbers, which has no nodes.
        static let packedLeaf: UInt16 = 0x20
        /// The node's value is on overflow pages.
        static let bigValue: UInt16 = 1
        /// The node's value is the head of another tree.
        static let subTree: UInt16 = 2
    }

    /// Offsets of fields within a page or within a node, in bytes.
    private enum Offset {
        static let pageFlags = 10
        static let pageEndOfPointers = 12
        static let overflowCount = 12
        static let pointers = 16
        static let nodeFlags = 4
        static let nodeKeyBytes = 6
        static let nodeKey = 8
        static let treeRoot = 40
    }

    /// The page number that LMDB stores as the root of an empty tree.
    private static let none = UInt64.max

    let descriptor: Int32
    let fileBytes: Int
    let pageBytes: Int
    /// Visits left before the walk stops. More visits than pages mean that the page references form a cycle.
    private var visitsLeft: Int
    private var pending: [UInt64]

    init(descriptor: Int32, fileBytes: Int, head: MetaPage) {
        self.descriptor = descriptor
        self.fileBytes = fileBytes
        pageBytes = head.pageBytes
        visitsLeft = head.lastPage + 1
        pending = head.roots
    }

    /// The number of a page that is in use but not completely in the file; nil if there is no such page. If page references form a cycle,
    /// the result is a page that was reached.
    mutating func firstMissing() -> UInt64? {
        while let number = pending.popLast() {
            if number == Self.none { continue }
            visitsLeft -= 1
            guard visitsLeft >= 0, holds(number, count: 1) else { return number }
            if let missing = visit(page(number, count: pageBytes)) { return missing }
        }
        return nil
    }

    private mutating func visit(_ page: PageBytes) -> UInt64? {
        let flags = page.load(Offset.pageFlags, as: UInt16.self)
        if flags & Flag.packedLeaf != 0 { return nil }
        let end = Int(page.load(Offset.pageEndOfPointers, as: UInt16.self))
        for pointer in stride(from: Offset.pointers, to: min(end, pageBytes), by: 2) {
            let node = Int(page.load(pointer, as: UInt16.self))
            if flags & Flag.branch != 0 {
                pending.append(child(page, node))
            } else if flags & Flag.leaf != 0, let missing = visitLeafNode(page, node) {
                return missing
            }
        }
        return nil
    }

    private mutating func visitLeafNode(_ page: PageBytes, _ node: Int) -> UInt64? {
        let flags = page.load(node + Offset.nodeFlags, as: UInt16.self)
        let value = node + Offset.nodeKey + Int(page.load(node + Offset.nodeKeyBytes, as: UInt16.self))
        if flags & Flag.subTree != 0 { pending.append(page.load(value + Offset.treeRoot, as: UInt64.self)) }
        guard flags & Flag.bigValue != 0 else { return nil }
        let first = page.load(value, as: UInt64.self)
        guard holds(first, count: 1) else { return first }
        let count = self.page(first, count: Offset.pointers).load(Offset.overflowCount, as: UInt32.self)
        return holds(first, count: Int(count)) ? nil : first
    }

    /// The number of the page below a branch node. Its 48 bits are in the fields that hold a leaf node's size and flags.
    private func child(_ page: PageBytes, _ node: Int) -> UInt64 {
        let low = UInt64(page.load(node, as: UInt32.self))
        return low | UInt64(page.load(node + Offset.nodeFlags, as: UInt16.self)) << 32
    }

    private func page(_ number: UInt64, count: Int) -> PageBytes {
        PageBytes(descriptor, at: Int(number) * pageBytes, count: count)
    }

    private func holds(_ first: UInt64, count: Int) -> Bool {
        first < 1 << 47 && (Int(first) + count) * pageBytes <= fileBytes
    }
}
