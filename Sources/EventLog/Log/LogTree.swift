internal import LMDB
public import Merkle

/// The log's Merkle tree as it is stored: a leaf for each event, its index being the position minus one.
///
/// The entry of a position holds the leaf's hash, and after it one for each tile level that the leaf completes, so that all levels
/// grow at one end of one table: level L has its hash of 256^L leaves in the entry of the last of them. Any thread may ask, at
/// any time; each question is answered from a snapshot of its own, and as nothing is ever changed, together they agree.
///
/// The entry of a position holds its leaf's hash and one more for each tile level that the leaf completes, so all levels grow at one end,
/// in the transaction that stores the events. Hashes between two tile levels are computed. The decider's thread hashes while the previous
/// batch is flushed. A log that is older than trees gets its tree at the first opening for writing.
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

extension LogStorage {
    /// Events hashed in one transaction when a tree is completed: some megabytes.
    private static let hashedEventsMax: UInt64 = 16_384

    /// Adds to the tree the events that it does not have: those of a log that is older than trees are.
    ///
    /// Every commit stores both, so that later there is nothing to do.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` when the tree has more leaves than the log has events, or a gap.
    func completeTree(through head: UInt64) throws(EventLogError) {
        var size = try treeSize()
        if size > head { throw EventLogError(.damaged, "the tree has \(size) leaves, but the last event is \(head).") }
        if size == head { return }
        var edge = try LogTree(storage: self).edge(at: size)
        while size < head {
            let last = min(head, size + Self.hashedEventsMax)
            try hash(from: size + 1, through: last, onto: &edge)
            // A crash between two of these leaves a shorter tree, which the next opening completes.
            size = last
        }
    }

    /// The number of leaves stored, which are dense.
    func treeSize() throws(EventLogError) -> UInt64 {
        guard let tree else { return 0 }
        let (last, count): (UInt64, UInt64)
        do throws(LMDBError) {
            let environment = environment
            let snapshot = try environment.snapshot()
            var cursor = try snapshot.cursor(tree)
            last = try cursor.last() ? cursor.integerKey : 0
            count = UInt64(try snapshot.count(tree))
        } catch { throw EventLogError(error) }
        if last != count { throw EventLogError(.damaged, "the tree has \(count) of \(last) leaves.") }
        return count
    }

    private func hash(from first: UInt64, through last: UInt64, onto edge: inout TreeEdge) throws(EventLogError) {
        var entries: [TreeEntry] = []
        var lengths: [Int] = []
        do {
            try scan(from: first, through: last) { _, record in
                let before = entries.count
                edge.append(record.bytes, completing: &entries)
                lengths.append(entries.count - before)
                return true
            }
        } catch { throw EventLogError(any: error) }
        try store(entries, lengths, from: first)
    }

    private func store(_ entries: [TreeEntry], _ lengths: [Int], from first: UInt64) throws(EventLogError) {
        guard let tree else { return }
        do throws(LMDBError) {
            let environment = environment
            var transaction = try environment.write()
            var next = 0
            var value: [UInt8] = []
            for (index, length) in lengths.enumerated() {
                value.removeAll(keepingCapacity: true)
                for entry in entries[next..<next + length] { entry.hash.append(to: &value) }
                try transaction.append(tree, first + UInt64(index), value.span)
                next += length
            }
            try transaction.commit()
        } catch { throw EventLogError(error) }
    }
}
