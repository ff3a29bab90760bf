internal import LMDB
public import Merkle

/// The log's stored Merkle tree: one leaf for each event, whose index is the position minus one.
///
/// A position's entry holds the leaf's hash, then one hash for each tile level that the leaf completes. So all levels grow at one end of
/// one table, in the transaction that stores the events.
///
/// Any thread may read at any time. Answers of different calls agree, because stored hashes never change. A log from before trees gets its
/// tree at the next opening for writing.
public struct LogTree: HashSource, Sendable {
    let storage: LogStorage

    /// The stored entries of a tile level.
    ///
    /// - Throws: ``EventLogError`` `.damaged` if an entry is missing or too short, `.storage`.
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

    /// The number of stored leaves: that of events, except in a log from before trees.
    ///
    /// - Throws: ``EventLogError`` `.damaged` if a leaf is missing, `.storage`.
    public func storedSize() throws(EventLogError) -> UInt64 { try storage.treeSize() }

    /// The edge to which further leaves can be appended.
    func edge(at size: UInt64) throws(EventLogError) -> TreeEdge {
        do { return try TreeEdge(at: size, of: self) } catch { throw EventLogError(tree: error) }
    }

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
    /// Per transaction while a tree is completed: half a megabyte of hashes.
    private static let hashedEventsMax: UInt64 = 16_384

    /// Adds the missing events to the tree of a log from before trees.
    ///
    /// - Throws: ``EventLogError`` `.damaged` if the tree has a gap, or more leaves than the log has events.
    func completeTree(through head: UInt64) throws(EventLogError) {
        var size = try treeSize()
        if size > head { throw EventLogError(.damaged, "the tree has \(size) leaves, but the last event is \(head).") }
        if size == head { return }
        var edge = try LogTree(storage: self).edge(at: size)
        while size < head {
            let last = min(head, size + Self.hashedEventsMax)
            try hash(from: size + 1, through: last, onto: &edge)
            // A crash between transactions leaves a shorter tree, which the next opening completes.
            size = last
        }
    }

    /// Throws if a leaf is missing.
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
