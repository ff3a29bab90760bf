internal import Crypto

/// The tree's hash functions (RFC 6962 §2.1, RFC 9162 §2.1.1): SHA-256, with one byte in front that keeps leaves and nodes apart.
///
/// Without that byte, an inner node's two hashes could be passed off as a record. A hasher is a value with buffers that are used
/// again for each hash: keep one where many are made.
public struct TreeHasher: Sendable {
    private static let leafPrefix: UInt8 = 0
    private static let nodePrefix: UInt8 = 1

    /// The root of a tree without leaves: SHA-256 of nothing.
    public static let emptyRoot = NodeHash(SHA256.hash(data: [UInt8]()))

    /// The prefix and the record. In one array, since two calls of `update` cost more than the copy.
    private var leafBuffer: [UInt8] = [leafPrefix]
    /// The prefix and two hashes. swift-crypto takes arrays only, where no pointers are wanted.
    private var nodeBuffer = [nodePrefix] + [UInt8](repeating: 0, count: 2 * NodeHash.byteCount)

    /// A hasher; all of them give the same hashes.
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

    /// The hash of two neighbouring subtrees.
    public mutating func node(_ left: NodeHash, _ right: NodeHash) -> NodeHash {
        left.write(over: &nodeBuffer, at: 1)
        right.write(over: &nodeBuffer, at: 1 + NodeHash.byteCount)
        return NodeHash(SHA256.hash(data: nodeBuffer))
    }
}

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

/// The complete subtrees that a range of leaves is made of, from left to right: the largest first, each half as large at most.
///
/// A tree of 13 leaves is one of 8, one of 4 and one of 1: the bits of its size.
struct CompleteSubtrees: Sequence, IteratorProtocol {
    private var rest: Range<UInt64>

    /// The range must begin at a multiple of the largest power of two that it holds, as those of RFC 6962 do.
    init(of leaves: Range<UInt64>) { rest = leaves }

    /// The next subtree: the binary logarithm of its leaves, and which one of that size it is, counted from 0.
    mutating func next() -> (height: Int, index: UInt64)? {
        guard !rest.isEmpty else { return nil }
        let height = UInt64.bitWidth - 1 - (rest.upperBound - rest.lowerBound).leadingZeroBitCount
        let index = rest.lowerBound >> UInt64(height)
        rest = (rest.lowerBound + 1 << UInt64(height))..<rest.upperBound
        return (height, index)
    }
}
