internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// Shops and campaigns as they stand: what the other tables' ids are joined with. Folded from the log, one of each in memory.
struct NounTables {
    private var shops = Folds<Shop>()
    private var campaigns = Folds<Campaign>()

    /// The events that any of them reads.
    private static let types: Set<EventType> = [
        .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .shopSuspended, .shopReinstated,
        .shopClosed, .campaignPublished, .campaignEdited, .campaignEnded,
    ]

    static let tables = [shopTable, campaignTable]

    /// Takes in one event.
    ///
    /// - Throws: `CodecError`.
    mutating func apply(_ record: borrowing Record, at position: Position) throws {
        guard Self.types.contains(record.type) else { return }
        let fact = try LoyaltyCodec.decode(record, at: position)
        if let campaign = record.value(of: .campaign) {
            campaigns.apply(fact, to: campaign)
        } else if let shop = record.value(of: .shop) {
            shops.apply(fact, to: shop)
        }
    }

    /// The rows of one of the tables, in the order of the ids.
    func rows(of table: String) -> [[AnalystValue]] {
        table == Self.shopTable.name ? shops.sorted { $0.id < $1.id }.map(Self.row) : campaigns.sorted { $0.id < $1.id }.map(Self.row)
    }

    /// Things by id, each folded from its own events.
    private struct Folds<Noun: Folded & Sendable> {
        private var nouns: [UInt128: Noun] = [:]

        mutating func apply(_ fact: Fact, to id: UInt128) {
            if nouns[id] == nil { nouns[id] = Noun(opening: fact) } else { nouns[id]?.evolve(fact) }
        }

        func sorted(by areInOrder: (Noun, Noun) -> Bool) -> [Noun] { nouns.values.sorted(by: areInOrder) }
    }
}
