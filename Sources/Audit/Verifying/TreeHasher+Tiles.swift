internal import Merkle

extension TreeHasher {
    /// The root of a tile's hashes, or of any power of two of them.
    mutating func completeRoot(of hashes: some Collection<NodeHash>) -> NodeHash {
        var row = Array(hashes)
        var count = row.count
        while count > 1 {
            count /= 2
            for index in 0..<count { row[index] = node(row[2 * index], row[2 * index + 1]) }
        }
        return row.first ?? Self.emptyRoot
    }
}
