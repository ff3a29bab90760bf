internal import Glibc

/// Walks one tree from its root and checks each of its pages, entries and counts.
///
/// Bytes that no reader uses are not checked: the free space of a page, the padding byte of an entry with an odd size, and the rest of a
/// large value's last page. LMDB leaves old content of its buffer in these places. The caller checks the values.
struct TreeWalk {
    /// The maximum depth. Even a tree of 2^47 pages has fewer levels.
    static let depthMax: UInt16 = 32

    let file: PageFile
    let table: String?
    let tree: TreeRoot
    /// Whether entries were only ever appended, so that each key in a branch page equals the first key below it.
    let appends: Bool
    /// Whether LMDB may keep a small value on pages of its own, because it has replaced a larger one.
    let replaces: Bool
    let report: (PageFinding) -> Void
    /// A closure that is called with the key, the node and the page's bytes of each leaf entry; nil if the caller does not need them.
    let entry: ((PageKey, PageNode, [UInt8]) -> Void)?

    /// The pages met so far, in this tree and in others.
    var census: PageCensus
    private var branches: UInt64 = 0
    private var leaves: UInt64 = 0
    private var overflows: UInt64 = 0
    private var entries: UInt64 = 0
    /// One buffer for each level of the tree. A buffer is removed from the array while it is in use.
    private var buffers: [PageImage]
    private let nodeBytesMax: Int

    init(
        _ tree: TreeRoot, of table: String?, in file: PageFile, appends: Bool = false, replaces: Bool = false,
        census: PageCensus, report: @escaping (PageFinding) -> Void, entry: ((PageKey, PageNode, [UInt8]) -> Void)? = nil
    ) {
        (self.tree, self.table, self.file, self.appends, self.census) = (tree, table, file, appends, census)
        (self.replaces, self.report, self.entry) = (replaces, report, entry)
        buffers = Array(repeating: PageImage(), count: Int(min(tree.depth, Self.depthMax)) + 1)
        // The maximum size of an entry, computed as LMDB computes me_nodemax: two entries must fit into a page.
        nodeBytesMax = ((file.pageBytes - PageImage.headBytes) / 2 & ~1) - 2
    }

    /// Checks the whole tree.
    mutating func run() {
        if tree.isEmpty {
            if tree.depth != 0 || tree.entries != 0 { found(nil, "an empty tree that has a depth or entries") }
            return
        }
        guard tree.depth > 0, tree.depth <= Self.depthMax else { return found(nil, "a tree of depth \(tree.depth)") }
        let intact = visit(tree.root, level: 1, low: nil, high: nil) != nil
        guard intact else { return }
        expect(branches, tree.branchPages, "branch pages")
        expect(leaves, tree.leafPages, "leaf pages")
        expect(overflows, tree.overflowPages, "pages of big values")
        expect(entries, tree.entries, "entries")
    }

    private func expect(_ count: UInt64, _ stated: UInt64, _ what: String) {
        if count != stated { found(nil, "it has \(count) \(what), and should have \(stated)") }
    }

    private func found(_ page: UInt64?, _ what: String) {
        report(PageFinding(page: page, table: table, what))
    }

    /// Visits a page and all pages below it, whose keys must lie from `low` up to, but not including, `high`.
    ///
    /// - Returns: the first key of these pages; nil after a fault, which has been reported.
    private mutating func visit(_ number: UInt64, level: Int, low: PageKey?, high: PageKey?) -> PageKey? {
        if SearchStop.isWanted { return nil }
        if let problem = census.take(number) { return wrong(number, problem) }
        var page = PageImage()
        swap(&page, &buffers[level])
        defer { swap(&page, &buffers[level]) }
        guard file.read(number, into: &page.bytes) else { return wrong(number, "the file does not hold it") }
        let isLeaf = level == tree.depth
        if let problem = page.problem(number: number, isLeaf: isLeaf) { return wrong(number, problem) }
        return isLeaf ? leaf(page, number, low, high) : branch(page, number, level, low, high)
    }

    private func wrong(_ page: UInt64, _ what: String) -> PageKey? {
        found(page, what)
        return nil
    }

    private mutating func branch(_ page: PageImage, _ number: UInt64, _ level: Int, _ low: PageKey?, _ high: PageKey?) -> PageKey? {
        branches += 1
        // LMDB never compares the key of a branch's first entry and usually leaves it empty, so `low` is used in its place.
        var keys: [PageKey?] = [low]
        for index in 1..<max(1, page.count) {
            guard let key = page.key(page.node(index), isInteger: tree.isInteger) else { return wrong(number, "entry \(index) has no key") }
            if let before = keys[index - 1] ?? low, key <= before { return wrong(number, "key \(key) follows \(before)") }
            keys.append(key)
        }
        if let high, let last = keys.last.flatMap({ $0 }), last >= high { return wrong(number, "key \(last) is not below \(high)") }
        keys.append(high)
        return children(of: page, number, level, keys)
    }

    private mutating func children(of page: PageImage, _ number: UInt64, _ level: Int, _ keys: [PageKey?]) -> PageKey? {
        var first: PageKey?
        var isIntact = true
        for index in 0..<page.count {
            let below = visit(page.node(index).child, level: level + 1, low: keys[index], high: keys[index + 1])
            if let below, let key = keys[index], appends, key != below {
                isIntact = false
                found(number, "entry \(index) says that \(key) comes first below it, and it is \(below)")
            }
            if below == nil { isIntact = false }
            if index == 0 { first = below }
        }
        return isIntact ? first : nil
    }

    private mutating func leaf(_ page: PageImage, _ number: UInt64, _ low: PageKey?, _ high: PageKey?) -> PageKey? {
        leaves += 1
        var first: PageKey?
        var before: PageKey?
        for index in 0..<page.count {
            let node = page.node(index)
            guard let key = page.key(node, isInteger: tree.isInteger), node.keyBytes > 0 else {
                return wrong(number, "entry \(index) has no key")
            }
            if let before, key <= before { return wrong(number, "key \(key) follows \(before)") }
            if before == nil, let low, key < low { return wrong(number, "key \(key) is below \(low)") }
            if let problem = valueProblem(of: node) { return wrong(number, "entry \(index) (key \(key)): \(problem)") }
            entry?(key, node, page.bytes)
            (first, before) = (first ?? key, key)
        }
        if let before, let high, before >= high { return wrong(number, "key \(before) is not below \(high)") }
        entries += UInt64(page.count)
        return page.problemOfBigValues(in: file, mayBeLonger: replaces, census: &census, pages: &overflows).map { wrong(number, $0) }
            ?? first
    }

    /// The fault in how a value is stored; nil if there is none. A value that fits is stored in the page, a larger value on pages of its
    /// own. Only in the table of tables is a value the root of another tree.
    private func valueProblem(of node: PageNode) -> String? {
        let isBig = PageNode.headBytes + node.keyBytes + node.valueBytes > nodeBytesMax
        let expected = isBig ? PageNode.bigValue : (table == nil && !tree.isInteger ? PageNode.subTree : 0)
        return node.flags == expected || replaces && expected == 0 && node.flags == PageNode.bigValue
            ? nil : "its flags are \(node.flags), not \(expected), for \(node.valueBytes) bytes"
    }
}

/// The root of one tree of pages as stored in the file (`struct MDB_db`): its first page and its totals.
public struct TreeRoot: Hashable, Sendable {
    /// Bytes of a tree root as stored in the file.
    static let byteCount = 48
    /// The root of an empty tree.
    static let none = UInt64.max
    /// The flag of a table of integers.
    static let integerKeys: UInt16 = 8

    /// The page size, in the first tree of a head page; 0 in every other tree of our files.
    let pad: UInt32
    let flags: UInt16
    /// The number of pages from the root to a leaf.
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    /// The number of entries, as stored. The walk compares it with the number of entries that it finds.
    public let entries: UInt64
    let root: UInt64

    /// Reads a root from bytes at an offset; traps when too few bytes follow the offset.
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

    /// Whether the tree has no entries.
    public var isEmpty: Bool { root == Self.none }
    var isInteger: Bool { flags & Self.integerKeys != 0 }
}

/// The pages that one walk through several snapshots has passed. They are kept in one place, so that their memory is released together.
/// Only one thread may use it at a time.
public final class WalkMemory {
    var pages: WalkedPages?

    /// Creates an instance for a new walk.
    public init() {}

    deinit { pages?.end() }
}

/// The part of a file's map that a cursor has passed. Its memory is released each time the cursor has passed ``limit`` bytes of values.
///
/// A page that was read counts as memory of the process until the system reclaims the page. After reading its whole log, a server would
/// seem to use as much memory as the log is long, and a limit on the server's memory could end the server.
///
/// The option ``Environment/Options/walkBytesHeld`` turns this on. The server uses it, because its auditor and its sweep of pictures read
/// whole logs. Command-line tools keep a log's pages in memory, because they read them again.
@safe struct WalkedPages {
    /// Bytes of values after which the memory of the range is released.
    let limit: Int
    private var low = UInt.max
    private var high: UInt = 0
    private var passed = 0

    /// If a walk has passed fewer bytes than this and than ``limit``, its end releases no memory, because look-ups pass only a few bytes.
    private static let keptMax = 1 << 20
    /// The maximum size in bytes of a value that extends the range. Every record is shorter.
    private static let valueMax = 1 << 20

    private static let fileName = "/data.mdb"
    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds the value at the cursor to the range.
    @unsafe mutating func pass(_ value: UnsafeBufferPointer<UInt8>) {
        // The address of an empty value may be anywhere, and a damaged page may claim any length. Such values must not extend the range
        // beyond the map.
        guard let start = value.baseAddress, (1...Self.valueMax).contains(value.count) else { return }
        let address = UInt(bitPattern: start)
        low = min(low, address)
        high = max(high, address + UInt(value.count))
        passed += value.count
        if passed >= limit { giveBack() }
    }

    /// Ends the walk, and releases the memory of the range unless the range is small.
    mutating func end() {
        if passed >= min(limit, Self.keptMax) { giveBack() }
    }

    /// Releases the range's memory. A later read, on this or another thread, gets the same bytes from the system's page cache.
    ///
    /// For anonymous memory, the same system call would clear the content. So the range is first limited to the region that the system
    /// reports for the file.
    private mutating func giveBack() {
        let (low, high) = (low, high)
        self = WalkedPages(limit: limit)
        guard let region = MappedRegion.around(low), region.path.hasSuffix(Self.fileName) else { return }
        let first = max(low / Self.pageBytes * Self.pageBytes, region.addresses.lowerBound)
        let end = min(high, region.addresses.upperBound)
        guard first < end else { return }
        // SAFETY: the range lies in the map of a file that is never written through the map, so nothing can be lost. The bytes stay
        // readable at their addresses.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }
}
