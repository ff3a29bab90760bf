internal import LMDB
internal import Merkle

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
