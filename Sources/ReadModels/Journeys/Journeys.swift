public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// Each card's way and each customer's visits, shop by shop: what ``JourneyReport`` is made of.
///
/// ``Statistics`` has what happened in a time, this has what became of whom: its rows stand customer by customer, so that a report
/// reads a shop's customers one after the other and needs no memory for each of them. Times are the events' own: an import may tell
/// of days that are over.
public final class Journeys: Projection {
    public static let name = "journeys"
    public static let schemaVersion = 1
    public static let eventTypes: Set<EventType> = [
        .campaignPublished, .campaignEdited, .campaignEnded, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .cardRedeemed,
        .redemptionReversed,
    ]
    public static let tables = [cardTable, visitTable, campaignTable]
    public static let bytesPerChange = 256
    public static let restSeconds = ReadModelLimits.reportRestSeconds

    /// Shop and card → ``CardJourney``.
    static let cardTable = ModelTable("cards", key: [.shop, .card]) { CardJourney.text($0) }
    /// Shop, account and quarter → stamps, u32: one ``ShopVisit``.
    static let visitTable = ModelTable("visits", key: [.shop, .account, .quarter]) { row in
        row.count == 4 ? "\(row.littleEndian32(at: 0)) stamps" : nil
    }
    /// Shop and campaign → ``CampaignTimes``.
    static let campaignTable = ModelTable("campaigns", key: [.shop, .campaign]) { CampaignTimes.text($0) }

    let store: ModelStore
    let cards: Table
    let visits: Table
    let campaigns: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        cards = try store.table(Self.cardTable)
        visits = try store.table(Self.visitTable)
        campaigns = try store.table(Self.campaignTable)
    }
}
