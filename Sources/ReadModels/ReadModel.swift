public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// A projection of the loyalty events, which receives them decoded.
public protocol ReadModel: Projection {
    /// Whether snapshots of past positions hold its rows. They hold the models that queries about the past read.
    static var isInSnapshots: Bool { get }

    /// Whether only reports read it. Its thread rests after each batch, and no other answer waits for it or names its position.
    static var isForReports: Bool { get }

    var store: ModelStore { get }

    /// Applies one event, under the rules of ``Projection/apply(_:at:to:in:)``.
    @available(*, noasync)
    func apply(_ fact: Fact, to pending: inout Pending, in transaction: inout WriteTransaction) throws(ReadModelError)

    /// Optional: applies a frequent event from its record without decoding, with the effect of ``apply(_:to:in:)``.
    ///
    /// - Returns: false if nothing was done and the caller must decode the event.
    /// - Throws: as ``Projection/apply(_:at:to:in:)``.
    @available(*, noasync)
    func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool
}

extension ReadModel {
    public static var isInSnapshots: Bool { false }

    public static var isForReports: Bool { false }

    public static var restSeconds: Double { isForReports ? ReadModelLimits.reportRestSeconds : 0 }

    /// Decodes the record, unless ``applyUndecoded(_:at:to:in:)`` has applied it.
    @available(*, noasync)
    public func apply(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        if try applyUndecoded(record, at: position, to: &pending, in: &transaction) { return }
        let fact: Fact
        do {
            fact = try LoyaltyCodec.decode(record, at: position)
        } catch {
            throw ReadModelError(.eventRefused, model: Self.name, "\(error.detail). \(error.remedy)")
        }
        try apply(fact, to: &pending, in: &transaction)
    }

    /// Returns false, so that every record is decoded.
    @available(*, noasync)
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to pending: inout Pending, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        false
    }
}

extension KeyPart {
    static let account = KeyPart("account", bytes: 16) { AccountID($0).text }
    static let campaign = KeyPart("campaign", bytes: 16) { CampaignID($0).text }
    static let alertDue = KeyPart("due", bytes: 16) { Instant(microseconds: Int64(truncatingIfNeeded: $0)).rfc3339 }
    static let card = KeyPart("card", bytes: 16) { CardID($0).text }
    static let code = KeyPart("code", bytes: 16) { CodeID($0).text }
    static let customerCount = KeyPart("count", bytes: 8) { CustomerKey.countText(UInt64(truncatingIfNeeded: $0)) }
    static let customerPlace = KeyPart("place", bytes: 8) { CustomerKey.placeText(UInt64(truncatingIfNeeded: $0)) }
    static let day = KeyPart("day", bytes: 16) { "day \($0)" }
    static let ending = KeyPart("ending", bytes: 16) { String(CardID($0).text.suffix(6)) }
    static let due = KeyPart("due", bytes: 8) { Instant(microseconds: Int64(truncatingIfNeeded: $0)).rfc3339 }
    static let dueKind = KeyPart("kind", bytes: 8) { DueEntry.kindText(UInt64(truncatingIfNeeded: $0)) }
    static let dueID = KeyPart("id", bytes: 16) { String($0, radix: 16) }
    static let notice = KeyPart("notice", bytes: 16) { NoticeID($0).text }
    static let review = KeyPart("review", bytes: 16) { ReviewID($0).text }
    static let search = KeyPart("search", bytes: 16) { SearchID($0).text }
    static let shop = KeyPart("shop", bytes: 16) { ShopID($0).text }
    static let position = KeyPart("position", bytes: 8) { "position \(UInt64(truncatingIfNeeded: $0))" }
    static let visitDay = KeyPart("day", bytes: 8) { FullDate.text(CustomerKey.day(UInt32(truncatingIfNeeded: $0))) }
    static let quarter = KeyPart("quarter", bytes: 8) { Quarter(key: UInt64(truncatingIfNeeded: $0)).start.rfc3339 }
}
