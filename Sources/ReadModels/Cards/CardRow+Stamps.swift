internal import LMDB
internal import Loyalty

extension CardRow {
    /// Replaces `row` by another one with single stamps behind its last entry: what decoding, adding and encoding come to, without
    /// touching what stays as it is.
    ///
    /// - Parameter first: where in `stamps` the first one stands; -1 for none.
    /// - Returns: false where the bytes are no row.
    static func add(_ stamps: [CardCache.Stamp], from first: Int, to base: Span<UInt8>, into row: inout [UInt8]) -> Bool {
        guard let status = status(of: base) else { return false }
        let entries = Int(base.littleEndian32(at: 12))
        guard base.count >= entriesAt + entries * entryBytes else { return false }
        row.removeAll(keepingCapacity: true)
        row.append(copying: base.extracting(first: entriesAt + entries * entryBytes))
        var (place, count) = (first, 0)
        while place >= 0 {
            let stamp = stamps[place]
            append(CardEntry(at: stamp.time, kind: .stamped, stamps: 1, position: stamp.position), to: &row)
            (place, count) = (Int(stamp.next), count + 1)
        }
        row.append(copying: base.extracting(droppingFirst: entriesAt + entries * entryBytes))
        let (goal, sum) = (Int(base.littleEndian32(at: 4)), Int(base.littleEndian32(at: 8)) + count)
        var head = row.mutableSpan
        head[1] = status.stamped(to: sum, goal: goal).rawValue
        head.store(littleEndian: UInt32(clamping: sum), at: 8)
        head.store(littleEndian: UInt32(clamping: entries + count), at: 12)
        return true
    }
}
