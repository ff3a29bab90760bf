public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The read model for ``JourneyReport``: each card's journey, each customer's visits and each campaign's times, by shop. Visits are ordered
/// by customer, because cohorts need them together.
public final class Journeys: ReadModel {
    public static let name = "journeys"
    public static let schemaVersion = 1
    public static let eventTypes: Set<EventType> = [
        .campaignPublished, .campaignEdited, .campaignEnded, .campaignReopened, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted,
        .stampReversed, .cardRedeemed, .redemptionReversed, .cardExpired, .waitingCardTaken,
    ]
    public static let tables = [cardTable, visitTable, campaignTable]
    public static let bytesPerChange = 256
    public static let isForReports = true

    /// Shop and card → ``CardJourney``.
    static let cardTable = ModelTable("cards", key: [.shop, .card]) { CardJourney.text($0) }
    /// Shop, account and quarter → stamps, u32: one ``ShopVisit``.
    static let visitTable = ModelTable("visits", key: [.shop, .account, .quarter], count: { "\($0) stamps" })
    /// Shop and campaign → ``CampaignTimes``.
    static let campaignTable = ModelTable("campaigns", key: [.shop, .campaign]) { CampaignTimes.text($0) }

    public let store: ModelStore
    let cards, visits, campaigns: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (cards, visits, campaigns) = try (store.table(Self.cardTable), store.table(Self.visitTable), store.table(Self.campaignTable))
    }
}

extension Journeys {
    /// Reports how customers return and how their cards end. Reads every card of the shop, and for each customer the first visit and those
    /// in ``JourneyMaking/quarters``. Takes 8 bytes for each card filled in the period.
    ///
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/journeyRowsMax`` rows.
    public func report(of shop: ShopID, _ query: JourneyQuery) throws(ReadModelError) -> JourneyReport {
        try countedReport(of: shop, query).report
    }

    func countedReport(
        of shop: ShopID, _ query: JourneyQuery, rowsMax: Int = ReadModelLimits.journeyRowsMax
    ) throws(ReadModelError) -> (report: JourneyReport, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var times: CampaignTimes?
            if let campaign = query.campaign { times = try store.row(campaigns, RowKey(shop.value, and: campaign.value), in: snapshot) }
            var (making, rows) = (JourneyMaking(query, times), 0)
            func count() throws(ReadModelError) {
                rows += 1
                guard rows <= rowsMax else {
                    throw ReadModelError(.tooMuch, model: Self.name, "shop \(shop.text) has more than \(rowsMax) rows for one report")
                }
            }
            let quarters = making.quarters
            let start = RowKey(shop.value)
            try store.walk(visits, of: shop.value, from: start, keyBytes: 40, in: snapshot) { (key, row) throws(ReadModelError) in
                try count()
                guard let visit = ShopVisit(key: key, row) else { throw store.damaged("a visit's row does not decode") }
                making.add(visit)
                return visit.key(after: quarters, at: shop).map { .seek($0) } ?? .next
            }
            try store.walk(cards, of: shop.value, from: start, keyBytes: 32, in: snapshot) { (_, row) throws(ReadModelError) in
                try count()
                making.add(try store.decoded(row) as CardJourney)
                return .next
            }
            return (making.report(), rows)
        }
    }

    /// One card's journey; nil if the shop has no such card.
    public func card(_ card: CardID, of shop: ShopID) throws(ReadModelError) -> CardJourney? {
        try store.reading { (snapshot) throws(ReadModelError) in
            try store.row(cards, RowKey(shop.value, and: card.value), in: snapshot)
        }
    }
}

extension ShopVisit {
    /// The key of the next needed row, if this visit is outside the quarters; nil for the following row.
    fileprivate func key(after quarters: ClosedRange<Quarter>?, at shop: ShopID) -> RowKey? {
        guard let quarters else { return nil }
        if quarter < quarters.lowerBound { return RowKey(shop.value, and: account.value, position: quarters.lowerBound.key) }
        guard quarter > quarters.upperBound, account.value < .max else { return nil }
        return RowKey(shop.value, and: account.value + 1, position: 0)
    }
}

/// The times between which a campaign runs.
public struct CampaignTimes: StoredRow, Hashable, Sendable {
    static let noun = "a campaign's row"

    public internal(set) var startsAt: Instant
    public internal(set) var endsAt: Instant
    /// The early end; nil if there is none, or if the campaign was reopened since.
    public internal(set) var endedAt: Instant?
    public internal(set) var version: UInt64

    package init(startsAt: Instant, endsAt: Instant, endedAt: Instant?, version: UInt64) {
        (self.startsAt, self.endsAt, self.endedAt, self.version) = (startsAt, endsAt, endedAt, version)
    }

    public var overAt: Instant { min(endedAt ?? endsAt, endsAt) }

    /// Start, end and early end (else the least i64) as i64 in microseconds, and the version as u64; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: startsAt.microseconds)
        row.append(littleEndian: endsAt.microseconds)
        row.append(littleEndian: endedAt?.microseconds ?? .min)
        row.append(littleEndian: version)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == 32 else { return nil }
        self.init(startsAt: row.time(at: 0), endsAt: row.time(at: 8), endedAt: row.timeIfAny(at: 16), version: row.littleEndian64(at: 24))
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let times = CampaignTimes(row) else { return nil }
        let ended = times.endedAt.map { ", ended \($0.rfc3339)" } ?? ""
        return "from \(times.startsAt.rfc3339) to \(times.endsAt.rfc3339)\(ended), last changed at position \(times.version)"
    }
}
