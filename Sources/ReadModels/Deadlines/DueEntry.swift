internal import LMDB
public import Loyalty
package import Projections

/// A thing that time alone causes, and its due time.
public struct DueEntry: Hashable, Sendable {
    /// The thing that is due.
    public enum Subject: Hashable, Sendable {
        case notice(NoticeID)
        case card(CardID)
        case transfer(ShopID)

        /// The kind in a stored key: 1 for a notice, 2 for a card, 3 for the offer of a shop.
        package var kind: UInt64 {
            switch self {
            case .notice: 1
            case .card: 2
            case .transfer: 3
            }
        }

        /// The id of the notice, card or shop.
        package var id: UInt128 {
            switch self {
            case .notice(let notice): notice.value
            case .card(let card): card.value
            case .transfer(let shop): shop.value
            }
        }

        fileprivate init?(kind: UInt64, id: UInt128) {
            switch kind {
            case 1: self = .notice(NoticeID(id))
            case 2: self = .card(CardID(id))
            case 3: self = .transfer(ShopID(id))
            default: return nil
            }
        }
    }

    public let dueAt: Instant
    public let subject: Subject

    package init(dueAt: Instant, _ subject: Subject) { (self.dueAt, self.subject) = (dueAt, subject) }

    /// The stored key. Moments before 1970 are stored as 1970.
    package var key: RowKey {
        let time = UInt64(max(0, dueAt.microseconds))
        return RowKey(UInt128(time) << 64 | UInt128(subject.kind), and: subject.id)
    }

    init?(_ key: Span<UInt8>) {
        guard key.count == 32 else { return nil }
        let (head, id) = (key.bigEndian128(at: 0), key.bigEndian128(at: 16))
        guard let subject = Subject(kind: UInt64(truncatingIfNeeded: head), id: id) else { return nil }
        self.init(dueAt: Instant(microseconds: Int64(truncatingIfNeeded: head >> 64)), subject)
    }

    static func kindText(_ kind: UInt64) -> String {
        switch kind {
        case 1: "notice"
        case 2: "card"
        case 3: "transfer"
        default: "kind \(kind)"
        }
    }
}
