internal import LMDB
package import Loyalty

/// The due time, author and position of a scheduled notice, from which its keys in other tables follow.
package struct NoticeDeadline: StoredRow, Hashable, Sendable {
    static let noun = "the row of a scheduled notice"

    package let dueAt: Instant
    package let author: UInt128
    package let position: UInt64

    package init(dueAt: Instant, author: UInt128, position: UInt64) { (self.dueAt, self.author, self.position) = (dueAt, author, position) }

    /// Due time as i64 in microseconds, author as u128, position as u64; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: dueAt.microseconds)
        row.append(littleEndian: author)
        row.append(littleEndian: position)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == 32 else { return nil }
        self.init(dueAt: row.time(at: 0), author: row.littleEndian128(at: 8), position: row.littleEndian64(at: 24))
    }
}
