internal import LMDB
public import Merkle

/// The log's Merkle tree as it is stored: a leaf for each event, its index being the position minus one.
///
/// The entry of a position holds the leaf's hash, and after it one for each tile level that the leaf completes, so that all levels
/// grow at one end of one table: level L has its hash of 256^L leaves in the entry of the last of them. Any thread may ask, at
/// any time; each question is answered from a snapshot of its own, and as nothing is ever changed, together they agree.
public struct LogTree: HashSource, Sendable {
    let storage: LogStorage

    /// The stored entries of a tile level.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` when one is missing or has another length,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        var hashes: [NodeHash] = []
        guard !range.isEmpty else { return hashes }
        guard let table = storage.tree else { throw EventLogError(.damaged, "the log has no tree; open it for writing once.") }
        hashes.reserveCapacity(range.count)
        let environment = storage.environment
        let snapshot = try environment.readable()
        for index in range {
            let position = (index + 1) << UInt64(8 * level)
            guard let bytes = try snapshot.get(table, position), let hash = Self.hash(bytes, level) else {
                throw Self.missing(position, level)
            }
            hashes.append(hash)
        }
        return hashes
    }

    /// Leaves that are stored: as many as there are events, but in a log that is older than trees.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` when one is missing, ``EventLogError/Code-swift.struct/storage``.
    public func storedSize() throws(EventLogError) -> UInt64 { try storage.treeSize() }

    /// The tree's right edge, from which it can grow.
    func edge(at size: UInt64) throws(EventLogError) -> TreeEdge {
        do { return try TreeEdge(at: size, of: self) } catch { throw EventLogError(tree: error) }
    }

    /// How many hashes the entry of a position holds.
    static func hashCount(at position: UInt64) -> Int { 1 + position.trailingZeroBitCount / 8 }

    private static func hash(_ bytes: Span<UInt8>, _ level: Int) -> NodeHash? {
        let start = level * NodeHash.byteCount
        return bytes.count < start + NodeHash.byteCount ? nil : NodeHash(bytes.extracting(start..<start + NodeHash.byteCount))
    }

    private static func missing(_ position: UInt64, _ level: Int) -> EventLogError {
        EventLogError(.damaged, "the tree lacks its hash of level \(level).", position: Position(position))
    }
}
