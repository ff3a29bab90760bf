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
