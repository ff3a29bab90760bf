internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// Rewards of milestones, counted separately from those of full cards.
public struct MilestoneActivity: Hashable, Sendable {
    /// Including those taken back later.
    public internal(set) var redeemed: Int
    /// Including those handed out earlier.
    public internal(set) var reversed: Int

    package init(redeemed: Int = 0, reversed: Int = 0) { (self.redeemed, self.reversed) = (redeemed, reversed) }

    /// Adds other activity.
    package mutating func add(_ other: MilestoneActivity) {
        redeemed += other.redeemed
        reversed += other.reversed
    }

    /// Appends both as i32, or nothing if both are 0, so that rows without milestones keep their older bytes.
    fileprivate func append(to row: inout [UInt8]) {
        guard self != MilestoneActivity() else { return }
        let start = row.count
        row.setCount(start + 8)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: Int32(clamping: redeemed), at: start)
        bytes.store(littleEndian: Int32(clamping: reversed), at: start + 4)
    }

    /// Reads the end of a row from `start`; both are 0 if there is none. Nil for any other length.
    fileprivate init?(_ row: Span<UInt8>, after start: Int) {
        self.init()
        guard row.count != start else { return }
        guard row.count == start + 8 else { return nil }
        redeemed = Int(Int32(bitPattern: row.littleEndian32(at: start)))
        reversed = Int(Int32(bitPattern: row.littleEndian32(at: start + 4)))
    }
}

/// A card's activity in one quarter of an hour.
public struct CardActivity: StoredRow, Hashable, Sendable {
    static let noun = "a card's row"

    public let holder: AccountID
    public internal(set) var stamps: Int
    /// 1 if the card was opened in this quarter, otherwise 0.
    public internal(set) var opened: Int
    /// By stamps, by an adjustment, or as a coupon when it was opened.
    public internal(set) var filled: Int
    /// Even if taken back later.
    public internal(set) var redeemed: Int
    /// Even if handed out earlier.
    public internal(set) var reversed: Int
    public internal(set) var milestones: MilestoneActivity

    package init(
        of holder: AccountID, stamps: Int = 0, opened: Int = 0, filled: Int = 0, redeemed: Int = 0, reversed: Int = 0,
        milestones: MilestoneActivity = MilestoneActivity()
    ) {
        (self.holder, self.stamps, self.opened, self.filled) = (holder, stamps, opened, filled)
        (self.redeemed, self.reversed, self.milestones) = (redeemed, reversed, milestones)
    }

    /// Whether the holder was present, which adjustments and reversals do not show.
    package var isVisit: Bool { stamps > 0 || opened > 0 || redeemed > 0 || milestones.redeemed > 0 }

    package mutating func add(_ other: CardActivity) {
        stamps += other.stamps
        opened += other.opened
        filled += other.filled
        redeemed += other.redeemed
        reversed += other.reversed
        milestones.add(other.milestones)
    }

    /// The holder as u128, the five numbers as i32, and the two of milestones if there were any; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(36)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: holder.value, at: 0)
        bytes.store(littleEndian: Int32(clamping: stamps), at: 16)
        bytes.store(littleEndian: Int32(clamping: opened), at: 20)
        bytes.store(littleEndian: Int32(clamping: filled), at: 24)
        bytes.store(littleEndian: Int32(clamping: redeemed), at: 28)
        bytes.store(littleEndian: Int32(clamping: reversed), at: 32)
        milestones.append(to: &row)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count >= 36, let milestones = MilestoneActivity(row, after: 36) else { return nil }
        func number(_ place: Int) -> Int { Int(Int32(bitPattern: row.littleEndian32(at: place))) }
        self.init(
            of: AccountID(row.littleEndian128(at: 0)), stamps: number(16), opened: number(20), filled: number(24), redeemed: number(28),
            reversed: number(32), milestones: milestones)
    }
}

struct CountedStamp {
    let card, holder, shop, code: UInt128
    let stamps: Int
    let worth: Int
    /// Encoded as in a row key.
    let quarter: UInt64

    init(_ stamp: SingleStamp, in quarter: UInt64) {
        (card, holder, shop, code) = (stamp.card, stamp.holder, stamp.shop, stamp.code)
        (stamps, worth, self.quarter) = (1, 1, quarter)
    }

    init(_ event: CardStamped, at time: Instant) {
        (card, holder, shop, code) = (event.card.value, event.holder.value, event.shop.value, event.code.value)
        (stamps, worth, quarter) = (event.stamps, event.worth, Quarter(of: time).key)
    }
}

/// A date in the format of RFC 3339: `2026-11-21`.
public enum FullDate {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// Counted from 1970-01-01; nil for a text that is not a date.
    public static func day(_ text: some StringProtocol) -> Int? {
        guard text.utf8.count == 10, let midnight = Instant(rfc3339: text + "T00:00:00Z") else { return nil }
        return Int(midnight.microseconds / microsecondsPerDay)
    }

    /// Days are counted from 1970-01-01.
    public static func text(_ day: Int) -> String { String(Instant(microseconds: Int64(day) * microsecondsPerDay).rfc3339.prefix(10)) }
}

/// A code that is neither used up nor destroyed: its issuer, and its remaining stamps.
package struct OpenCode: StoredRow, Hashable, Sendable {
    static let noun = "a code's row"

    package let issuer: AccountID
    package var stamps: Int

    package init(issuer: AccountID, stamps: Int) { (self.issuer, self.stamps) = (issuer, stamps) }

    /// The issuer as u128 and the remaining stamps as u32, little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(20)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: issuer.value, at: 0)
        bytes.store(littleEndian: UInt32(clamping: stamps), at: 16)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == 20 else { return nil }
        self.init(issuer: AccountID(row.littleEndian128(at: 0)), stamps: Int(row.littleEndian32(at: 16)))
    }
}

/// The work of one member of staff in one quarter of an hour.
public struct StaffActivity: StoredRow, Hashable, Sendable {
    static let noun = "a member's row"

    public internal(set) var codes: Int
    public internal(set) var stamps: Int
    /// Even if taken back later.
    public internal(set) var redeemed: Int
    /// Including those handed out by other members.
    public internal(set) var reversed: Int
    public internal(set) var milestones: MilestoneActivity

    /// Stamps and rewards. An unused code gives nothing.
    var given: Int { stamps + redeemed + milestones.redeemed }

    package init(
        codes: Int = 0, stamps: Int = 0, redeemed: Int = 0, reversed: Int = 0, milestones: MilestoneActivity = MilestoneActivity()
    ) {
        (self.codes, self.stamps, self.redeemed, self.reversed, self.milestones) = (codes, stamps, redeemed, reversed, milestones)
    }

    package mutating func add(_ other: StaffActivity) {
        codes += other.codes
        stamps += other.stamps
        redeemed += other.redeemed
        reversed += other.reversed
        milestones.add(other.milestones)
    }

    /// The four numbers as i32, and the two of milestones if there were any; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.setCount(16)
        var bytes = row.mutableSpan
        bytes.store(littleEndian: Int32(clamping: codes), at: 0)
        bytes.store(littleEndian: Int32(clamping: stamps), at: 4)
        bytes.store(littleEndian: Int32(clamping: redeemed), at: 8)
        bytes.store(littleEndian: Int32(clamping: reversed), at: 12)
        milestones.append(to: &row)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count >= 16, let milestones = MilestoneActivity(row, after: 16) else { return nil }
        func number(_ place: Int) -> Int { Int(Int32(bitPattern: row.littleEndian32(at: place))) }
        self.init(codes: number(0), stamps: number(4), redeemed: number(8), reversed: number(12), milestones: milestones)
    }
}
