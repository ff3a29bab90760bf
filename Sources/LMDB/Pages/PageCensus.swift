/// Records which pages a walk has met, because each may be used only once; 32 KiB of memory per gigabyte.
struct PageCensus {
    private var words: [UInt64]
    private let count: UInt64

    init(count: UInt64) {
        self.count = count
        words = [UInt64](repeating: 0, count: Int(count / 64) + 1)
        _ = take(0)
        _ = take(1)
    }

    /// Returns the fault if the page does not exist or is used already.
    mutating func take(_ page: UInt64) -> String? {
        guard page < count else { return "page \(page) lies beyond the last one, \(count - 1)" }
        let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
        if words[word] & bit != 0 { return "page \(page) is used twice" }
        words[word] |= bit
        return nil
    }

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

/// Finds a used page beyond the end of the file.
///
/// A valid file may be shorter than its last page number suggests: pages that one transaction took and freed are never written.
///
/// Layout of LMDB 0.9 (`struct MDB_page`, `struct MDB_node`, `struct MDB_db`) on 64-bit little-endian machines.
struct ReachablePages {
    private enum Flag {
        static let branch: UInt16 = 1
        static let leaf: UInt16 = 2
        static let packedLeaf: UInt16 = 0x20
        static let bigValue: UInt16 = 1
        static let subTree: UInt16 = 2
    }

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

    /// The stored root of an empty tree.
    private static let none = UInt64.max

    let descriptor: Int32
    let fileBytes: Int
    let pageBytes: Int
    /// More visits than pages mean a cycle.
    private var visitsLeft: Int
    private var pending: [UInt64]

    init(descriptor: Int32, fileBytes: Int, head: MetaPage) {
        (self.descriptor, self.fileBytes) = (descriptor, fileBytes)
        pageBytes = head.pageBytes
        visitsLeft = head.lastPage + 1
        pending = head.roots
    }

    /// A used page that is not completely in the file, or one reached over a cycle.
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

    /// The 48 bits are in a leaf node's fields of size and flags.
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
