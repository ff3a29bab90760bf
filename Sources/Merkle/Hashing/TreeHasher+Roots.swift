extension TreeHasher {
    /// The root of a complete tree over some nodes; their number must be a power of two.
    mutating func root(ofComplete nodes: [NodeHash]) -> NodeHash {
        var row = nodes
        var count = row.count
        precondition(count.nonzeroBitCount == 1, "a complete tree has a power of two of leaves")
        while count > 1 {
            count /= 2
            for index in 0..<count { row[index] = node(row[2 * index], row[2 * index + 1]) }
        }
        return row[0]
    }

    /// The root of a tree from the complete subtrees that it is made of, the largest (the left) first.
    mutating func root(of parts: [NodeHash]) -> NodeHash {
        guard var root = parts.last else { return Self.emptyRoot }
        for part in parts.dropLast().reversed() { root = node(part, root) }
        return root
    }
}
