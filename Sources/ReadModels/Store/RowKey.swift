internal import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// The key of a row: one to three numbers, most significant byte first, so that byte order is number order.
///
/// It lives on the stack: making one allocates nothing.
package struct RowKey: Sendable {
    private var storage = [40 of UInt8](repeating: 0)
    private let count: Int

    /// 16 bytes: one thing.
    package init(_ id: UInt128) {
        count = 16
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
    }

    /// 24 bytes: a place in the order of one thing.
    package init(_ id: UInt128, position number: UInt64) {
        count = 24
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
        bytes.store(bigEndian: number, at: 16)
    }

    /// 32 bytes: a pair of things.
    package init(_ first: UInt128, and second: UInt128) {
        count = 32
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
    }

    /// 40 bytes: a place in the order of a pair of things.
    package init(_ first: UInt128, and second: UInt128, position number: UInt64) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
        bytes.store(bigEndian: number, at: 32)
    }

    /// 40 bytes: one thing of another, at a place in the order of that.
    package init(_ first: UInt128, position number: UInt64, and second: UInt128) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: number, at: 16)
        bytes.store(bigEndian: second, at: 24)
    }

    /// The key as it is stored.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { storage.span.extracting(first: count) }
    }
}

/// Two ids, in the order of their row key.
@usableFromInline
package struct PairKey: QuickKey, Comparable {
    @usableFromInline package let first: UInt128
    @usableFromInline package let second: UInt128

    @inlinable
    package init(_ first: UInt128, _ second: UInt128) { (self.first, self.second) = (first, second) }

    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(first) ^ RowIndex.hash(second &+ 1) }

    @inlinable
    package static func < (left: PairKey, right: PairKey) -> Bool {
        left.first == right.first ? left.second < right.second : left.first < right.first
    }
}

/// A key that the service made itself, for tables in memory.
///
/// `Dictionary` hashes with SipHash against keys that somebody chose to collide, which is most of the time that a look-up takes.
/// Nobody can choose these: ids are random or the service's clock.
@usableFromInline
package protocol QuickKey: Equatable, Sendable {
    /// Spread over all bits; equal keys have equal hashes.
    var quickHash: Int { get }
}

extension UInt128: QuickKey {
    @inlinable @inline(__always)
    package var quickHash: Int { RowIndex.hash(self) }
}

/// The kind of id in one part of a key, so that a tool can show it as readable text.
public enum KeyPart: Sendable, Hashable {
    case account
    case campaign
    case card
    case code
    case notice
    case review
    case shop
    /// Eight bytes; the others have sixteen.
    case position
    /// Eight bytes: a ``Quarter``.
    case quarter

    var bytes: Int { self == .position || self == .quarter ? 8 : 16 }

    /// The part's text: `card_01hv…`, or a position in decimal.
    func text(_ key: Span<UInt8>, at offset: Int) -> String {
        guard self != .position else { return "position \(UInt64(truncatingIfNeeded: Self.number(key, at: offset, bytes: 8)))" }
        if self == .quarter { return Quarter(key: UInt64(truncatingIfNeeded: Self.number(key, at: offset, bytes: 8))).start.rfc3339 }
        let value = Self.number(key, at: offset, bytes: 16)
        return switch self {
        case .account: AccountID(value).text
        case .campaign: CampaignID(value).text
        case .card: CardID(value).text
        case .code: CodeID(value).text
        case .notice: NoticeID(value).text
        case .review: ReviewID(value).text
        case .shop, .position, .quarter: ShopID(value).text
        }
    }

    private static func number(_ key: Span<UInt8>, at offset: Int, bytes: Int) -> UInt128 {
        var number: UInt128 = 0
        for index in offset..<(offset + bytes) { number = number << 8 | UInt128(key[index]) }
        return number
    }
}

/// Bytes for people to look at.
enum Hexadecimal {
    /// Bytes shown; the rest is counted.
    private static let bytesMax = 48

    static func text(_ bytes: Span<UInt8>) -> String {
        var text = ""
        for index in 0..<min(bytes.count, bytesMax) {
            let digits = String(bytes[index], radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return bytes.count > bytesMax ? text + "… (\(bytes.count) bytes)" : text
    }
}
