/// Keys of a table of integers, as ascending ranges that do not touch.
public struct KeyRanges: Hashable, Sendable {
    public private(set) var ranges: [ClosedRange<UInt64>] = []

    public init() {}

    public var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

    /// Adds a key, unless it is not greater than all earlier ones.
    public mutating func append(_ key: UInt64) {
        guard let last = ranges.last else { return ranges.append(key...key) }
        guard key > last.upperBound else { return }
        if key == last.upperBound + 1 { ranges[ranges.count - 1] = last.lowerBound...key } else { ranges.append(key...key) }
    }

    /// The range that has a key.
    public func range(of key: UInt64) -> ClosedRange<UInt64>? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(key) ? ranges[low] : nil
    }

    /// Whether every key of a range is here.
    public func contains(_ keys: ClosedRange<UInt64>) -> Bool { range(of: keys.lowerBound)?.contains(keys.upperBound) ?? false }
}

extension PageFile {
    /// The keys, up to `keyMax`, that can be reached from a table's root over undamaged pages.
    public func reachedKeys(of tree: TreeRoot, keyMax: UInt64) -> KeyRanges {
        var keys = KeyRanges()
        let census = PageCensus(count: UInt64(byteCount / pageBytes) + 1)
        var walk = TreeWalk(tree, of: "", in: self, appends: true, census: census, report: { _ in }) { key, _, _ in
            if key.number <= keyMax { keys.append(key.number) }
        }
        walk.run()
        return keys
    }

    /// The valid head pages, the newest first.
    public var heads: [HeadPage] {
        [0, 1].compactMap { HeadPage($0, of: self) }.filter(\.isHead).sorted { $0.transaction > $1.transaction }
    }
}

/// Leaf pages found by reading a whole file, also behind damaged branch pages, and of earlier or interrupted commits and other tables. The
/// caller MUST judge the values.
///
/// A copy of this value reads the pages again from the first key.
public struct FoundLeaves {
    private struct Leaf {
        let keys: ClosedRange<UInt64>
        let page: UInt64
    }

    private let file: PageFile
    private let keyMax: UInt64
    private let valueBytesMax: Int
    /// In the order of their first keys.
    private let leaves: [Leaf]
    private var loaded = 0
    private var window: [(last: UInt64, page: PageImage, nodes: [UInt64: PageNode])] = []

    /// Reads every page of a file.
    ///
    /// - Parameter isWanted: whether a page with keys in this range is needed, at 24 bytes of memory each.
    public init(in file: PageFile, keyMax: UInt64, valueBytesMax: Int, where isWanted: (ClosedRange<UInt64>) -> Bool) {
        (self.file, self.keyMax, self.valueBytesMax) = (file, keyMax, valueBytesMax)
        var (leaves, page): ([Leaf], PageImage) = ([], PageImage())
        for number in 0..<UInt64(file.byteCount / file.pageBytes) where file.read(number, into: &page.bytes) {
            guard page.number == number, page.isLeaf else { continue }
            let keys = page.looseEntries(keyMax, valueBytesMax).map(\.key)
            guard let first = keys.min(), let last = keys.max(), isWanted(first...last) else { continue }
            leaves.append(Leaf(keys: first...last, page: number))
        }
        self.leaves = leaves.sorted { ($0.keys.lowerBound, $0.page) < ($1.keys.lowerBound, $1.page) }
    }

    /// The greatest key found; 0 if there is none.
    public var lastKey: UInt64 { leaves.map(\.keys.upperBound).max() ?? 0 }

    /// The found values of a key. Each call MUST have a greater key than the one before.
    public mutating func values(of key: UInt64) -> [[UInt8]] {
        while loaded < leaves.count, leaves[loaded].keys.lowerBound <= key {
            if leaves[loaded].keys.upperBound >= key { load(leaves[loaded]) }
            loaded += 1
        }
        window.removeAll { $0.last < key }
        return window.compactMap { leaf in leaf.nodes[key].flatMap { leaf.page.value(of: $0, in: file) } }
    }

    private mutating func load(_ leaf: Leaf) {
        var page = PageImage()
        guard file.read(leaf.page, into: &page.bytes) else { return }
        let entries = page.looseEntries(keyMax, valueBytesMax).map { ($0.key, $0.node) }
        let nodes = Dictionary(entries) { first, _ in first }
        window.append((leaf.keys.upperBound, page, nodes))
    }
}

extension PageImage {
    /// Other entries may be damaged.
    fileprivate func looseEntries(_ keyMax: UInt64, _ valueBytesMax: Int) -> [(key: UInt64, node: PageNode)] {
        (0..<count).compactMap { index in
            let node = node(index)
            guard node.keyBytes == 8, node.offset >= Self.headBytes, node.offset + node.size(inLeaf: true) <= bytes.count,
                node.flags & ~PageNode.bigValue == 0, node.valueBytes <= valueBytesMax
            else { return nil }
            let key = load64(node.key.lowerBound)
            return (1...keyMax).contains(key) ? (key, node) : nil
        }
    }

    fileprivate func value(of node: PageNode, in file: PageFile) -> [UInt8]? {
        let start = node.key.upperBound
        guard node.isBig else { return Array(bytes[start..<start + node.valueBytes]) }
        var value: [UInt8] = []
        return file.read(node.valueBytes, from: load64(start), at: Self.headBytes, into: &value) ? value : nil
    }
}
