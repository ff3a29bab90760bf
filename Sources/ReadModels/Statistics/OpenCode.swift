internal import LMDB
package import Loyalty

/// A code that has stamps left to give: whose they are when they are given.
package struct OpenCode: Hashable, Sendable {
    package let issuer: AccountID
    package var stamps: Int

    package init(issuer: AccountID, stamps: Int) {
        (self.issuer, self.stamps) = (issuer, stamps)
    }

    /// Issuer u128, stamps u32; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(20)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: issuer.value, at: 0)
        bytes.store(littleEndian: UInt32(clamping: stamps), at: 16)
    }

    /// Nil when the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 20 else { return nil }
        self.init(issuer: AccountID(row.littleEndian128(at: 0)), stamps: Int(row.littleEndian32(at: 16)))
    }
}
