internal import LMDB
public import Loyalty

/// What happened to one card in one quarter of an hour.
public struct CardActivity: Hashable, Sendable {
    public let holder: AccountID
    /// Stamps added.
    public internal(set) var stamps: Int
    /// 1 where it was opened.
    public internal(set) var opened: Int
    /// How often it became full, by a code's stamps or an operator's.
    public internal(set) var filled: Int
    /// How often its reward was handed out, whether it was taken back later or not.
    public internal(set) var redeemed: Int
    /// How often a reward was taken back, whenever it had been handed out.
    public internal(set) var reversed: Int

    package init(of holder: AccountID, stamps: Int = 0, opened: Int = 0, filled: Int = 0, redeemed: Int = 0, reversed: Int = 0) {
        self.holder = holder
        self.stamps = stamps
        self.opened = opened
        self.filled = filled
        self.redeemed = redeemed
        self.reversed = reversed
    }

    /// Whether the holder was there: what an operator sets right, and what the shop takes back, is nobody's visit.
    package var isVisit: Bool { stamps > 0 || opened > 0 || redeemed > 0 }

    /// What happened besides, at the same place.
    package mutating func add(_ other: CardActivity) {
        stamps += other.stamps
        opened += other.opened
        filled += other.filled
        redeemed += other.redeemed
        reversed += other.reversed
    }

    /// Holder u128, then the five numbers, i32 each; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(36)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: holder.value, at: 0)
        bytes.store(littleEndian: Int32(clamping: stamps), at: 16)
        bytes.store(littleEndian: Int32(clamping: opened), at: 20)
        bytes.store(littleEndian: Int32(clamping: filled), at: 24)
        bytes.store(littleEndian: Int32(clamping: redeemed), at: 28)
        bytes.store(littleEndian: Int32(clamping: reversed), at: 32)
    }

    /// Nil when the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 36 else { return nil }
        func number(_ place: Int) -> Int { Int(Int32(bitPattern: row.littleEndian32(at: place))) }
        self.init(
            of: AccountID(row.littleEndian128(at: 0)), stamps: number(16), opened: number(20), filled: number(24), redeemed: number(28),
            reversed: number(32))
    }
}
