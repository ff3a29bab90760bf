internal import LMDB

/// What the model knows of an account: since when it gets notices, and how many it has read.
package struct NoticeMember: Hashable, Sendable {
    /// Position of its registration.
    package let since: UInt64
    /// Notices that it has said it has read.
    package var reads: UInt64

    package init(since: UInt64, reads: UInt64) {
        (self.since, self.reads) = (since, reads)
    }

    /// Both numbers, little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(16)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: since, at: 0)
        bytes.store(littleEndian: reads, at: 8)
    }

    /// Nil when the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 16 else { return nil }
        self.init(since: row.littleEndian64(at: 0), reads: row.littleEndian64(at: 8))
    }
}
