internal import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// What a part of a key identifies, so that a tool can name a row as people know it.
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
