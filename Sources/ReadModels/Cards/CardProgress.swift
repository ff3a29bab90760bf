public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// Every card with its history, and which cards an account has: what customers look at all day.
///
/// Reads are synchronous, take one snapshot each, and wait for nobody; any thread may read while the model moves on.
public final class CardProgress: Projection {
    public static let name = "card-progress"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .redemptionRequested, .cardRedeemed, .redemptionReversed,
    ]
    public static let tables = [cardTable, accountTable]
    public static let bytesPerChange = 320

    /// Card → ``CardRow``.
    static let cardTable = ModelTable("cards", key: [.card]) { CardRow.text($0) }
    /// Account and position of opening → card, 16 bytes.
    static let accountTable = ModelTable("accounts", key: [.account, .position]) { bytes in
        bytes.count == 16 ? CardID(bytes.bigEndian128(at: 0)).text : nil
    }

    let store: ModelStore
    let cards: Table
    let accounts: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        cards = try store.table(Self.cardTable)
        accounts = try store.table(Self.accountTable)
    }
}
