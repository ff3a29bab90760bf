internal import Crypto

/// The tree's hash functions (RFC 6962 §2.1, RFC 9162 §2.1.1): SHA-256 over a prefix byte and the data. Leaves and nodes have different
/// prefix bytes.
///
/// Without the prefix byte, the two hashes below an inner node could be passed off as a record. A hasher is a value with reusable buffers:
/// keep one to compute many hashes.
public struct TreeHasher: Sendable {
    private static let leafPrefix: UInt8 = 0
    private static let nodePrefix: UInt8 = 1

    /// The root of a tree without leaves: SHA-256 of nothing.
    public static let emptyRoot = NodeHash(SHA256.hash(data: [UInt8]()))

    /// The prefix byte and the record in one array, because two calls of SHA-256's `update` cost more than copying the record.
    private var leafBuffer: [UInt8] = [leafPrefix]
    /// The prefix byte and two hashes. The buffer is an array, because other forms could be passed to swift-crypto only with pointers.
    private var nodeBuffer = [nodePrefix] + [UInt8](repeating: 0, count: 2 * NodeHash.byteCount)

    /// Creates a hasher. All hashers compute the same hashes.
    public init() {}

    /// The hash of a record.
    public mutating func leaf(_ record: Span<UInt8>) -> NodeHash {
        leafBuffer.removeLast(leafBuffer.count - 1)
        leafBuffer.append(addingCapacity: record.count) { output in
            for index in record.indices { output.append(record[index]) }
        }
        return NodeHash(SHA256.hash(data: leafBuffer))
    }

    /// The hash of a record.
    public mutating func leaf(_ record: [UInt8]) -> NodeHash { leaf(record.span) }

    /// The hash of a node with these two children.
    public mutating func node(_ left: NodeHash, _ right: NodeHash) -> NodeHash {
        left.write(over: &nodeBuffer, at: 1)
        right.write(over: &nodeBuffer, at: 1 + NodeHash.byteCount)
        return NodeHash(SHA256.hash(data: nodeBuffer))
    }
}

extension TreeHasher {
    /// The root of a complete tree over nodes. The number of nodes must be a power of two.
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

    /// The root of a tree from the roots of its complete subtrees, from the largest (leftmost) on.
    mutating func root(of parts: [NodeHash]) -> NodeHash {
        guard var root = parts.last else { return Self.emptyRoot }
        for part in parts.dropLast().reversed() { root = node(part, root) }
        return root
    }
}

/// The complete subtrees of a range of leaves, from left to right. Each subtree is at most half as large as the one to its left.
///
/// For example, a tree of 13 leaves consists of subtrees of 8, 4 and 1 leaves: the powers of two in the binary form of 13.
struct CompleteSubtrees: Sequence, IteratorProtocol {
    private var rest: Range<UInt64>

    /// The range must begin at a multiple of the largest power of two that fits in it, as the ranges of RFC 6962 do.
    init(of leaves: Range<UInt64>) { rest = leaves }

    /// The next subtree: the binary logarithm of its number of leaves, and its number among the subtrees of that size, counted from 0.
    mutating func next() -> (height: Int, index: UInt64)? {
        guard !rest.isEmpty else { return nil }
        let height = UInt64.bitWidth - 1 - (rest.upperBound - rest.lowerBound).leadingZeroBitCount
        let index = rest.lowerBound >> UInt64(height)
        rest = (rest.lowerBound + 1 << UInt64(height))..<rest.upperBound
        return (height, index)
    }
}
