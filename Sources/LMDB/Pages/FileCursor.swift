/// A position in a table of a ``PageFile``, for reading entries in key order with plain reads.
///
/// Every page is checked when read, so that damage causes an error with the page's number. Values are copied.
public struct FileCursor {
    private let file: PageFile
    private let tree: TreeRoot
    /// From the root to the leaf; empty before the first move.
    private var path: [PageImage]
    private var places: [Int]
    private var isPlaced = false

    /// Creates a cursor before the first entry.
    public init(_ tree: TreeRoot, in file: PageFile) {
        (self.file, self.tree) = (file, tree)
        let depth = Int(min(tree.depth, TreeWalk.depthMax))
        path = Array(repeating: PageImage(), count: max(1, depth))
        places = Array(repeating: 0, count: max(1, depth))
    }

    private var leaf: Int { path.count - 1 }
    private var node: PageNode { path[leaf].node(places[leaf]) }

    /// The current key in a table of integers; 0 before the first move.
    public var key: UInt64 { isPlaced ? path[leaf].load64(node.key.lowerBound) : 0 }

    /// The current key in a table of bytes; empty before the first move.
    public var keyBytes: [UInt8] { isPlaced ? path[leaf].key(node, isInteger: false)?.bytes ?? [] : [] }

    /// The page that holds the current entry.
    public var page: UInt64 { path[leaf].number }

    var subTree: TreeRoot? { isPlaced ? FileWalk.tree(node, in: path[leaf].bytes) : nil }

    /// Moves to the next entry, or to the first one; false after the last.
    ///
    /// - Throws: ``LMDBError`` `.damaged`.
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

    /// Moves to a key in a table of integers; false, and perhaps at another entry, if there is none.
    ///
    /// - Throws: ``LMDBError`` `.damaged`.
    public mutating func seek(_ key: UInt64) throws(LMDBError) -> Bool {
        if tree.isEmpty { return false }
        try descend(from: tree.root, level: 0) { page in Self.place(of: key, in: page) }
        return self.key == key
    }

    /// Copies the entry's value into a buffer, in place of its content.
    ///
    /// - Throws: ``LMDBError`` `.damaged`.
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

    /// LMDB leaves the first key empty in most branch pages, so it is never compared.
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
