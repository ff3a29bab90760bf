/// A position in a table of a ``PageFile``, for reading its entries in key order with plain reads.
///
/// Every page is checked as a tree page when it is read, so that a damaged page causes an error with the page's number. Values are copied.
public struct FileCursor {
    private let file: PageFile
    private let tree: TreeRoot
    /// The pages from the root to the leaf. `places` has the index of the current entry in each page. Before the first move, the pages are
    /// empty and the indices are 0.
    private var path: [PageImage]
    private var places: [Int]
    private var isPlaced = false

    /// Creates a cursor that is before the first entry.
    public init(_ tree: TreeRoot, in file: PageFile) {
        (self.file, self.tree) = (file, tree)
        let depth = Int(min(tree.depth, TreeWalk.depthMax))
        path = Array(repeating: PageImage(), count: max(1, depth))
        places = Array(repeating: 0, count: max(1, depth))
    }

    private var leaf: Int { path.count - 1 }
    private var node: PageNode { path[leaf].node(places[leaf]) }

    /// The key of the current entry, for a table of integers; 0 before the first move.
    public var key: UInt64 { isPlaced ? path[leaf].load64(node.key.lowerBound) : 0 }

    /// The key of the current entry, for a table of bytes; empty before the first move.
    public var keyBytes: [UInt8] { isPlaced ? path[leaf].key(node, isInteger: false)?.bytes ?? [] : [] }

    /// The number of the page that holds the current entry.
    public var page: UInt64 { path[leaf].number }

    /// If the current entry describes a table, as in the table of tables, the root of that table; otherwise nil.
    var subTree: TreeRoot? { isPlaced ? FileWalk.tree(node, in: path[leaf].bytes) : nil }

    /// Moves to the next entry, or to the first one before any move.
    ///
    /// - Returns: false after the last entry.
    /// - Throws: ``LMDBError/Code/damaged``.
    public mutating func next() throws(LMDBError) -> Bool {
        if tree.isEmpty { return false }
        guard isPlaced else {
            try descend(from: tree.root, level: 0) { _ in 0 }
            return true
        }
        var level = leaf
        while level >= 0, places[level] + 1 >= path[level].count { level -= 1 }
        if level < 0 { return false }
        places[level] += 1
        if level < leaf { try descend(from: child(level), level: level + 1) { _ in 0 } }
        return true
    }

    /// Moves to the entry with this key in a table of integers.
    ///
    /// - Returns: false if there is no such entry; the cursor may then be at another entry.
    /// - Throws: ``LMDBError/Code/damaged``.
    public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool {
        if tree.isEmpty { return false }
        try descend(from: tree.root, level: 0) { page in Self.place(of: key, in: page) }
        return self.key == key
    }

    /// Copies the entry's value into a buffer, in place of the buffer's content.
    ///
    /// - Throws: ``LMDBError/Code/damaged``.
    public func value(into bytes: inout [UInt8]) throws(LMDBError) {
        let node = node
        let start = node.key.upperBound
        if node.isBig {
            let first = path[leaf].load64(start)
            guard file.readBig(node.valueBytes, from: first, into: &bytes) else {
                throw damaged(first, "the file does not hold the value of key \(key)")
            }
        } else {
            guard start + node.valueBytes <= path[leaf].bytes.count else { throw damaged(page, "a value that ends outside of it") }
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: path[leaf].bytes[start..<start + node.valueBytes])
        }
    }

    private func child(_ level: Int) -> UInt64 { path[level].node(places[level]).child }

    private mutating func descend(from page: UInt64, level: Int, _ choose: (PageImage) -> Int) throws(LMDBError) {
        guard tree.depth > 0, tree.depth <= TreeWalk.depthMax else { throw damaged(page, "a tree of depth \(tree.depth)") }
        isPlaced = false
        var number = page
        for level in level..<path.count {
            guard file.read(number, into: &path[level].bytes) else { throw damaged(number, "the file does not hold it") }
            if let problem = path[level].problem(number: number, isLeaf: level == leaf) { throw damaged(number, problem) }
            places[level] = choose(path[level])
            if level < leaf { number = child(level) }
        }
        isPlaced = true
    }

    /// The index of the last entry whose key is not greater than `key`; 0 if all keys are greater. The first entry's key is never compared,
    /// because LMDB leaves it empty in most branch pages.
    private static func place(of key: UInt64, in page: PageImage) -> Int {
        var (low, high) = (0, page.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if page.load64(page.node(middle).key.lowerBound) <= key { low = middle } else { high = middle - 1 }
        }
        return low
    }

    private func damaged(_ page: UInt64, _ text: String) -> LMDBError {
        LMDBError(.damaged, call: "pread", path: file.path, text: "page \(page): \(text)")
    }
}
