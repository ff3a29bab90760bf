internal import Glibc

/// Walks one tree from its root and checks every page, entry and count of it.
///
/// It does not check bytes that no reader uses: the free space of a page, the byte behind an odd entry, the rest of a big value's last
/// page. LMDB leaves the former content of its buffer there. The caller checks the values.
///
/// A walk releases the pages that it has passed: the auditor and the sweep of pictures read whole logs, which would otherwise stay in the
/// server's memory. Tools keep a log mapped, because they read it again.
struct TreeWalk {
    /// Deeper than any tree of 2^47 pages.
    static let depthMax: UInt16 = 32

    let file: PageFile
    let table: String?
    let tree: TreeRoot
    /// Whether the table only ever grew at its end, so that each key in a branch is the first one below it.
    let appends: Bool
    let report: (PageFinding) -> Void
    /// Gets the key and the value of each entry, when it is wanted.
    let entry: ((PageKey, PageNode, [UInt8]) -> Void)?

    /// Pages met so far, of this tree and of the others.
    var census: PageCensus
    private var branches: UInt64 = 0
    private var leaves: UInt64 = 0
    private var overflows: UInt64 = 0
    private var entries: UInt64 = 0
    /// One buffer a level, taken out while in use.
    private var buffers: [PageImage]
    private let nodeBytesMax: Int

    init(
        _ tree: TreeRoot, of table: String?, in file: PageFile, appends: Bool = false, census: PageCensus,
        report: @escaping (PageFinding) -> Void, entry: ((PageKey, PageNode, [UInt8]) -> Void)? = nil
    ) {
        (self.tree, self.table, self.file, self.appends, self.census) = (tree, table, file, appends, census)
        (self.report, self.entry) = (report, entry)
        buffers = Array(repeating: PageImage(), count: Int(min(tree.depth, Self.depthMax)) + 1)
        // As LMDB computes me_nodemax: two entries must fit a page.
        nodeBytesMax = ((file.pageBytes - PageImage.headBytes) / 2 & ~1) - 2
    }

    /// Looks at all of it.
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

    /// Visits a page and all below it, whose keys must lie from `low` up to, but not including, `high`.
    ///
    /// - Returns: the first key; nil when something is wrong, which was reported.
    private mutating func visit(_ number: UInt64, level: Int, low: PageKey?, high: PageKey?) -> PageKey? {
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
        // The key of a branch's first entry is never compared, and mostly empty.
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
        return page.problemOfBigValues(in: file, census: &census, pages: &overflows).map { wrong(number, $0) } ?? first
    }

    /// A value that fits is in its page, and a larger one on pages of its own. Only the table of tables has trees as values.
    private func valueProblem(of node: PageNode) -> String? {
        let isBig = PageNode.headBytes + node.keyBytes + node.valueBytes > nodeBytesMax
        let expected = isBig ? PageNode.bigValue : (table == nil && !tree.isInteger ? PageNode.subTree : 0)
        return node.flags == expected ? nil : "its flags are \(node.flags), not \(expected), for \(node.valueBytes) bytes"
    }
}

/// The root of one tree of pages as the file has it (`struct MDB_db`): its first page and its totals.
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

/// The pages that a walk over several snapshots has passed, so that they are returned to the system as those of one walk. For one thread at
/// a time.
public final class WalkMemory {
    var pages: WalkedPages?

    /// Nothing passed yet.
    public init() {}

    deinit { pages?.end() }
}

/// The part of a map that a cursor has passed, to be released from time to time.
///
/// Every page that is read stays mapped in the process until the system runs short of memory. A server that walked through its log once
/// would appear to need as much memory as the log is long, and would be killed where memory is limited.
@safe struct WalkedPages {
    /// Bytes of values after which the stretch is given back.
    let limit: Int
    private var low = UInt.max
    private var high: UInt = 0
    private var passed = 0

    /// Fewer bytes than this are not released at the end of a walk: a look-up reads less.
    private static let keptMax = 1 << 20
    /// Bytes of the largest value that is noted: no record is as long.
    private static let valueMax = 1 << 20

    private static let fileName = "/data.mdb"
    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes the value at the cursor.
    @unsafe mutating func pass(_ value: UnsafeBufferPointer<UInt8>) {
        // An empty value may stand nowhere, and a damaged page may claim any length: neither must stretch this beyond the map.
        guard let start = value.baseAddress, (1...Self.valueMax).contains(value.count) else { return }
        let address = UInt(bitPattern: start)
        low = min(low, address)
        high = max(high, address + UInt(value.count))
        passed += value.count
        if passed >= limit { giveBack() }
    }

    /// Ends the walk. The next walk may begin at the same place.
    mutating func end() {
        if passed >= min(limit, Self.keptMax) { giveBack() }
    }

    /// Unmaps the stretch. Whoever reads in it again, another thread too, gets the same bytes from the system's cache.
    ///
    /// The same call would empty memory that is no file's. So the system is asked what lies there, and nothing beyond it is touched.
    private mutating func giveBack() {
        let (low, high) = (low, high)
        self = WalkedPages(limit: limit)
        guard let region = MappedRegion.around(low), region.path.hasSuffix(Self.fileName) else { return }
        let first = max(low / Self.pageBytes * Self.pageBytes, region.addresses.lowerBound)
        let end = min(high, region.addresses.upperBound)
        guard first < end else { return }
        // SAFETY: all of it lies in the map of a file that is never written through the map, so nothing can be lost; the bytes stay
        // readable at their addresses.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }
}
