internal import LMDB

/// What one member of staff did in one quarter of an hour.
public struct StaffActivity: Hashable, Sendable {
    /// Codes shown.
    public internal(set) var codes: Int
    /// Stamps that the codes of this member added, when they were added.
    public internal(set) var stamps: Int
    /// Rewards handed out, whether they were taken back later or not.
    public internal(set) var redeemed: Int
    /// Rewards taken back, whoever had handed them out.
    public internal(set) var reversed: Int

    package init(codes: Int = 0, stamps: Int = 0, redeemed: Int = 0, reversed: Int = 0) {
        self.codes = codes
        self.stamps = stamps
        self.redeemed = redeemed
        self.reversed = reversed
    }

    /// What happened besides, at the same place.
    package mutating func add(_ other: StaffActivity) {
        codes += other.codes
        stamps += other.stamps
        redeemed += other.redeemed
        reversed += other.reversed
    }

    /// The four numbers, i32 each; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(16)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: Int32(clamping: codes), at: 0)
        bytes.store(littleEndian: Int32(clamping: stamps), at: 4)
        bytes.store(littleEndian: Int32(clamping: redeemed), at: 8)
        bytes.store(littleEndian: Int32(clamping: reversed), at: 12)
    }

    /// Nil when the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 16 else { return nil }
        func number(_ place: Int) -> Int { Int(Int32(bitPattern: row.littleEndian32(at: place))) }
        self.init(codes: number(0), stamps: number(4), redeemed: number(8), reversed: number(12))
    }
}
