internal import Glibc

/// Walks one tree from its root and checks its pages, entries and counts, but no unused bytes, where LMDB leaves old content.
struct TreeWalk {
    /// Even a tree of 2^47 pages has fewer levels.
    static let depthMax: UInt16 = 32

    let file: PageFile
    let table: String?
    let tree: TreeRoot
    /// Then each branch key equals the first key below it.
    let appends: Bool
    /// LMDB may keep a small value that has replaced a larger one on pages of its own.
    let replaces: Bool
    let report: (PageFinding) -> Void
    let entry: ((PageKey, PageNode, [UInt8]) -> Void)?

    var census: PageCensus
    private var branches: UInt64 = 0
    private var leaves: UInt64 = 0
    private var overflows: UInt64 = 0
    private var entries: UInt64 = 0
    /// Removed from the array while in use.
    private var buffers: [PageImage]
    private let nodeBytesMax: Int

    init(
        _ tree: TreeRoot, of table: String?, in file: PageFile, appends: Bool = false, replaces: Bool = false,
        census: PageCensus, report: @escaping (PageFinding) -> Void, entry: ((PageKey, PageNode, [UInt8]) -> Void)? = nil
    ) {
        (self.tree, self.table, self.file, self.appends, self.census) = (tree, table, file, appends, census)
        (self.replaces, self.report, self.entry) = (replaces, report, entry)
        buffers = Array(repeating: PageImage(), count: Int(min(tree.depth, Self.depthMax)) + 1)
        // As LMDB's me_nodemax: two entries must fit into a page.
        nodeBytesMax = ((file.pageBytes - PageImage.headBytes) / 2 & ~1) - 2
    }

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

    private func found(_ page: UInt64?, _ what: String) { report(PageFinding(page: page, table: table, what)) }

    /// Keys must lie in `low..<high`. Returns the first key; nil after a reported fault.
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
        // LMDB usually leaves a branch's first key empty, so `low` is used.
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

    /// A value is in the page if it fits. Only the table of tables holds trees.
    private func valueProblem(of node: PageNode) -> String? {
        let isBig = PageNode.headBytes + node.keyBytes + node.valueBytes > nodeBytesMax
        let expected = isBig ? PageNode.bigValue : (table == nil && !tree.isInteger ? PageNode.subTree : 0)
        return node.flags == expected || replaces && expected == 0 && node.flags == PageNode.bigValue
            ? nil : "its flags are \(node.flags), not \(expected), for \(node.valueBytes) bytes"
    }
}

/// The root of a tree as stored (`struct MDB_db`): its first page and its totals.
public struct TreeRoot: Hashable, Sendable {
    static let byteCount = 48
    static let none = UInt64.max
    static let rootOffset = 40
    static let integerKeys: UInt16 = 8

    let pad: UInt32
    let flags: UInt16
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    /// The stored number of entries, which the walk compares.
    public let entries: UInt64
    let root: UInt64

    /// Traps if too few bytes follow the offset.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        pad = bytes.littleEndian32(at: offset)
        flags = bytes.littleEndian16(at: offset + 4)
        depth = bytes.littleEndian16(at: offset + 6)
        branchPages = bytes.littleEndian64(at: offset + 8)
        leafPages = bytes.littleEndian64(at: offset + 16)
        overflowPages = bytes.littleEndian64(at: offset + 24)
        entries = bytes.littleEndian64(at: offset + 32)
        root = bytes.littleEndian64(at: offset + Self.rootOffset)
    }

    public var isEmpty: Bool { root == Self.none }
    var isInteger: Bool { flags & Self.integerKeys != 0 }
}

/// The pages passed by one walk through several snapshots, released together. Not thread-safe.
public final class WalkMemory {
    var pages: WalkedPages?

    public init() {}

    deinit { pages?.end() }
}

/// The part of a file's map that a cursor has passed, released after each ``limit`` bytes of values.
///
/// Read pages count as the process's memory: after reading its whole log, a server could exceed its memory limit.
/// ``Environment/Options/walkBytesHeld`` turns this on. Tools that read a log again keep its pages.
@safe struct WalkedPages {
    let limit: Int
    private var low = UInt.max
    private var high: UInt = 0
    private var passed = 0

    /// Look-ups pass only a few bytes.
    private static let keptMax = 1 << 20
    /// Every record is shorter.
    private static let valueMax = 1 << 20

    private static let fileName = "/data.mdb"
    private static let pageBytes = UInt(sysconf(Int32(_SC_PAGESIZE)))

    init(limit: Int) { self.limit = limit }

    @unsafe mutating func pass(_ value: UnsafeBufferPointer<UInt8>) {
        // An empty value's address may be anywhere, and a damaged page may claim any length.
        guard let start = value.baseAddress, (1...Self.valueMax).contains(value.count) else { return }
        let address = UInt(bitPattern: start)
        low = min(low, address)
        high = max(high, address + UInt(value.count))
        passed += value.count
        if passed >= limit { giveBack() }
    }

    mutating func end() { if passed >= min(limit, Self.keptMax) { giveBack() } }

    /// For anonymous memory the call would clear the content, so the range is first limited to the file's region.
    private mutating func giveBack() {
        let (low, high) = (low, high)
        self = WalkedPages(limit: limit)
        guard let region = MappedRegion.around(low), region.path.hasSuffix(Self.fileName) else { return }
        let first = max(low / Self.pageBytes * Self.pageBytes, region.addresses.lowerBound)
        let end = min(high, region.addresses.upperBound)
        guard first < end else { return }
        // SAFETY: the range lies in the map of a file that is never written through it, so the bytes stay readable.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }
}
