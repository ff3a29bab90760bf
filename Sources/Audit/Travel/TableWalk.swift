internal import LMDB
internal import ReadModels

/// Walks through two states of a table in key order, side by side: the earlier one in a file, the later one in memory.
struct TableWalk {
    let earlier: SortedTable
    let later: CanonicalTable
    let keyBytes: Int

    /// Calls `body` with each row that is not the same in both.
    func forEach(_ body: (RowChange) -> Void) throws(SnapshotFault) {
        var (index, row) = (0, CanonicalRow())
        if later.count > 0 { later.row(0, into: &row) }
        func next() {
            index += 1
            if index < later.count { later.row(index, into: &row) }
        }
        try earlier.forEach(from: [UInt8](repeating: 0, count: keyBytes)) { (key, value) throws(SnapshotFault) in
            while index < later.count, KeyOrder.compare(row.key.bytes, key) < 0 {
                body(RowChange(key: PastKey.bytes(row.key), before: nil, after: row.value))
                next()
            }
            var (known, before) = ([UInt8](), [UInt8]())
            before.append(copying: value)
            if index < later.count, KeyOrder.compare(row.key.bytes, key) == 0 {
                if before != row.value { body(RowChange(key: PastKey.bytes(row.key), before: before, after: row.value)) }
                next()
            } else {
                known.append(copying: key)
                body(RowChange(key: known, before: before, after: nil))
            }
            return true
        }
        while index < later.count {
            body(RowChange(key: PastKey.bytes(row.key), before: nil, after: row.value))
            next()
        }
    }
}
