internal import LMDB

/// Where in the log pairs of things came together, noted each time and written once: of each pair the first place counts.
public struct FirstPositions {
    private struct Entry {
        let pair: PairKey
        let position: UInt64
    }

    /// In the order of the log.
    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func note(_ first: UInt128, _ second: UInt128, at position: UInt64) {
        entries.append(Entry(pair: PairKey(first, second), position: position))
    }

    /// Writes those that have no row yet: the position as u64, little-endian. Nothing is left to write then.
    @available(*, noasync)
    mutating func flush(into rows: inout RowWriter) throws(ReadModelError) {
        // Those alike stay in the order of the log, so that the first of them comes first.
        entries.sort { $0.pair < $1.pair }
        var last: PairKey?
        for entry in entries where entry.pair != last {
            last = entry.pair
            let key = RowKey(entry.pair.first, and: entry.pair.second)
            if try rows.value(key, { _ in true }) ?? false { continue }
            var row: [UInt8] = []
            row.append(littleEndian: entry.position)
            try rows.put(key, row.span)
        }
        entries.removeAll(keepingCapacity: true)
    }
}
