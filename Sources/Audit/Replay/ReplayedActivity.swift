internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `ActivityPlaces`, folded from the log in memory.
struct ReplayedActivity: ReplayedModel {
    private static let dayMicroseconds: Int64 = 86_400_000_000

    static var model: any Projection.Type { ActivityPlaces.self }

    private var cards: [(card: UInt128, shop: UInt128)] = []
    /// By day: the positions of the first and the last act.
    private var days: [Int64: (first: UInt64, last: UInt64)] = [:]

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events {
            switch event.kind {
            case .registered: continue
            case .decoded:
                guard Self.isAct(batch.facts[event.place].event) else { continue }
            case .stamped, .issued, .opened, .discarded: break
            }
            let day = max(0, event.time) / Self.dayMicroseconds
            days[day] = (days[day]?.first ?? event.position, event.position)
        }
        for name in batch.named where name.step == .opening { cards.append((name.card, name.shop)) }
    }

    private static func isAct(_ event: LoyaltyEvent) -> Bool {
        switch event {
        case .codeIssued, .codeDestroyed, .paperStamped, .paperCardTaken, .paperStampReversed: true
        case .cardReminded: false
        default: event.card != nil
        }
    }

    func tables(_ orders: CardOrders) -> [CanonicalTable] {
        let endings = cards.map { (ending: $0.card % (1 << 30), card: $0.card, shop: $0.shop) }
            .sorted { ($0.ending, $0.card) < ($1.ending, $1.card) }
        let lines = days.sorted { $0.key < $1.key }
        return [
            CanonicalTable("endings", endings) { (entry, row) in row.set(RowKey(entry.ending, and: entry.card), id: entry.shop) },
            CanonicalTable("days", lines) { (entry, row) in
                row.set(RowKey(UInt128(entry.key)), number: UInt128(entry.value.last) << 64 | UInt128(entry.value.first))
            },
        ]
    }
}
