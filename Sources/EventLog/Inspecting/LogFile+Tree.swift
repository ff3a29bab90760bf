internal import LMDB
public import Merkle

/// The stored tree, read with plain reads: for roots and proofs of a log that is being looked at.
extension LogFile: HashSource {
    /// The stored entries of a tile level; see ``LogTree/hashes(level:in:)``.
    public func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        guard let tree else { throw EventLogError(.damaged, "the log has no tree.") }
        var cursor = FileCursor(tree, in: file)
        var bytes: [UInt8] = []
        return try range.map { index in
            let position = (index + 1) << UInt64(8 * level)
            guard try cursor.seek(position) else { throw EventLogError(.damaged, "a hash is missing.", position: Position(position)) }
            try cursor.value(into: &bytes)
            return try Self.hash(in: bytes, level, position)
        }
    }

    private static func hash(in bytes: [UInt8], _ level: Int, _ position: UInt64) throws(EventLogError) -> NodeHash {
        let start = level * NodeHash.byteCount
        guard bytes.count >= start + NodeHash.byteCount, let hash = NodeHash(Array(bytes[start..<start + NodeHash.byteCount])) else {
            throw EventLogError(.damaged, "a hash of level \(level) is missing.", position: Position(position))
        }
        return hash
    }
}
