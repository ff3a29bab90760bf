internal import Crypto

/// The tree's hash functions (RFC 6962 §2.1, RFC 9162 §2.1.1): SHA-256 over a prefix byte and the data. Reuse a hasher for its buffers.
///
/// Leaves and nodes have different prefixes: otherwise the two hashes below a node could be passed off as a record.
public struct TreeHasher: Sendable {
    private static let leafPrefix: UInt8 = 0
    private static let nodePrefix: UInt8 = 1

    /// The root of a tree without leaves: SHA-256 of nothing.
    public static let emptyRoot = NodeHash(SHA256.hash(data: [UInt8]()))

    /// One array, because a second call of `update` costs more than the copy.
    private var leafBuffer: [UInt8] = [leafPrefix]
    /// An array, because swift-crypto takes other buffers only by pointer.
    private var nodeBuffer = [nodePrefix] + [UInt8](repeating: 0, count: 2 * NodeHash.byteCount)

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

    /// The hash of a node with these children.
    public mutating func node(_ left: NodeHash, _ right: NodeHash) -> NodeHash {
        left.write(over: &nodeBuffer, at: 1)
        right.write(over: &nodeBuffer, at: 1 + NodeHash.byteCount)
        return NodeHash(SHA256.hash(data: nodeBuffer))
    }
}

extension TreeHasher {
    /// The number of nodes must be a power of two.
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

    /// From the largest (leftmost) complete subtree on.
    mutating func root(of parts: [NodeHash]) -> NodeHash {
        guard var root = parts.last else { return Self.emptyRoot }
        for part in parts.dropLast().reversed() { root = node(part, root) }
        return root
    }
}

/// The complete subtrees of a range of leaves, left to right.
struct CompleteSubtrees: Sequence, IteratorProtocol {
    private var rest: Range<UInt64>

    /// The range must begin at a multiple of the largest power of two that fits in it, as in RFC 6962.
    init(of leaves: Range<UInt64>) { rest = leaves }

    /// The index counts the subtrees of that height, from 0.
    mutating func next() -> (height: Int, index: UInt64)? {
        guard !rest.isEmpty else { return nil }
        let height = UInt64.bitWidth - 1 - (rest.upperBound - rest.lowerBound).leadingZeroBitCount
        let index = rest.lowerBound >> UInt64(height)
        rest = (rest.lowerBound + 1 << UInt64(height))..<rest.upperBound
        return (height, index)
    }
}
