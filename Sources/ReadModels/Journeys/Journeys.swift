public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The read model for ``JourneyReport``: each card's journey, each customer's visits and each campaign's times, by shop.
///
/// ``Statistics`` adds up events by time, but this model follows single cards and customers. All times are the times that the events
/// record, because an import may add events of past days.
///
/// A shop's visits are ordered by customer, because cohorts need all visits of a customer together, including the first one. So a report
/// reads these rows once, customer after customer, in memory that does not grow with visits.
public final class Journeys: ReadModel {
    public static let name = "journeys"
    public static let schemaVersion = 1
    public static let eventTypes: Set<EventType> = [
        .campaignPublished, .campaignEdited, .campaignEnded, .campaignReopened, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted,
        .stampReversed,
        .cardRedeemed,
        .redemptionReversed, .cardExpired, .waitingCardTaken,
    ]
    public static let tables = [cardTable, visitTable, campaignTable]
    public static let bytesPerChange = 256
    public static let restSeconds = ReadModelLimits.reportRestSeconds

    /// The table of cards: shop and card → ``CardJourney``.
    static let cardTable = ModelTable("cards", key: [.shop, .card]) { CardJourney.text($0) }
    /// The table of visits: shop, account and quarter → stamps, u32. Each row is one ``ShopVisit``.
    static let visitTable = ModelTable("visits", key: [.shop, .account, .quarter]) { row in
        row.count == 4 ? "\(row.littleEndian32(at: 0)) stamps" : nil
    }
    /// The table of campaigns: shop and campaign → ``CampaignTimes``.
    static let campaignTable = ModelTable("campaigns", key: [.shop, .campaign]) { CampaignTimes.text($0) }

    public let store: ModelStore
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

extension Journeys {
    /// Reports how customers return and how their cards end, as of the model's position. The report reads every card of the shop. For each
    /// customer it reads the first visit ever, the visits in ``JourneyMaking/quarters``, and at most one later visit. Its memory does not
    /// grow with visits, but by 8 bytes for each card that was filled in the period.
    ///
    /// - Returns: the report, without an effect if the shop has no such campaign.
    /// - Throws: ``ReadModelError/Code/tooMuch`` for more than ``ReadModelLimits/journeyRowsMax`` rows,
    ///   ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func report(of shop: ShopID, _ query: JourneyQuery) throws(ReadModelError) -> JourneyReport {
        try countedReport(of: shop, query).report
    }

    /// The report of ``report(of:_:)``, and the number of rows that it read.
    func countedReport(
        of shop: ShopID, _ query: JourneyQuery, rowsMax: Int = ReadModelLimits.journeyRowsMax
    ) throws(ReadModelError) -> (report: JourneyReport, rows: Int) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var times: CampaignTimes?
            if let campaign = query.campaign {
                let key = RowKey(shop.value, and: campaign.value)
                times = try store.value(campaigns, key, in: snapshot) { (row) throws(ReadModelError) in try self.times(row) }
            }
            var (making, rows) = (JourneyMaking(query, times), 0)
            func count() throws(ReadModelError) {
                rows += 1
                guard rows <= rowsMax else {
                    throw ReadModelError(.tooMuch, model: Self.name, "shop \(shop.text) has more than \(rowsMax) rows for one report")
                }
            }
            let quarters = making.quarters
            try walk(visits, of: shop, keyBytes: 40, in: snapshot) { (key, row) throws(ReadModelError) in
                try count()
                guard let visit = ShopVisit(key: key, row) else { throw store.damaged("a visit's row does not decode") }
                making.add(visit)
                return visit.key(after: quarters, at: shop)
            }
            try walk(cards, of: shop, keyBytes: 32, in: snapshot) { (_, row) throws(ReadModelError) in
                try count()
                making.add(try journey(row))
                return nil
            }
            return (making.report(), rows)
        }
    }

    /// One card's journey; nil if the shop has no such card.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    public func card(_ card: CardID, of shop: ShopID) throws(ReadModelError) -> CardJourney? {
        try store.reading { (snapshot) throws(ReadModelError) in
            let key = RowKey(shop.value, and: card.value)
            return try store.value(cards, key, in: snapshot) { (row) throws(ReadModelError) in try journey(row) }
        }
    }

    /// Reads a shop's rows in the order of their keys.
    ///
    /// - Parameter body: returns the key at which the walk continues; nil to continue with the next row.
    private func walk(
        _ table: Table, of shop: ShopID, keyBytes: Int, in snapshot: borrowing Snapshot,
        _ body: (_ key: Span<UInt8>, _ row: Span<UInt8>) throws(ReadModelError) -> RowKey?
    ) throws(ReadModelError) {
        do {
            var cursor = try snapshot.cursor(table)
            let start = RowKey(shop.value)
            var goesOn = try cursor.seek(start.bytes)
            while goesOn, cursor.key.count == keyBytes, cursor.key.bigEndian128(at: 0) == shop.value {
                if let next = try body(cursor.key, cursor.value) {
                    goesOn = try cursor.seek(next.bytes)
                } else {
                    goesOn = try cursor.next()
                }
            }
        } catch {
            throw store.wrapped(error)
        }
    }
}

extension ShopVisit {
    /// The key of the next row that the report needs, if this visit is outside the report's quarters; nil if the report needs the following
    /// row.
    fileprivate func key(after quarters: ClosedRange<Quarter>?, at shop: ShopID) -> RowKey? {
        guard let quarters else { return nil }
        if quarter < quarters.lowerBound { return RowKey(shop.value, and: account.value, position: quarters.lowerBound.key) }
        guard quarter > quarters.upperBound, account.value < .max else { return nil }
        return RowKey(shop.value, and: account.value + 1, position: 0)
    }
}

/// The times between which a campaign runs.
public struct CampaignTimes: Hashable, Sendable {
    public let startsAt: Instant
    /// The time at which the campaign ends by its terms.
    public let endsAt: Instant
    /// The time at which the campaign was ended early; nil if it was not, or if it was reopened since.
    public let endedAt: Instant?
    /// Position of the last event that changed the campaign.
    public let version: UInt64

    package init(startsAt: Instant, endsAt: Instant, endedAt: Instant?, version: UInt64) {
        (self.startsAt, self.endsAt, self.endedAt, self.version) = (startsAt, endsAt, endedAt, version)
    }

    /// The time at which the campaign is over, by its terms or because it was ended early.
    public var overAt: Instant { min(endedAt ?? endsAt, endsAt) }

    /// Replaces `row` by the start, the end and the early end as i64 in microseconds, and the version as u64. All numbers are
    /// little-endian. The least i64 means that the campaign was not ended early.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: startsAt.microseconds)
        row.append(littleEndian: endsAt.microseconds)
        row.append(littleEndian: endedAt?.microseconds ?? .min)
        row.append(littleEndian: version)
    }

    /// Reads a row; nil if the bytes are not a row.
    package init?(_ row: Span<UInt8>) {
        guard row.count == 32 else { return nil }
        func time(_ place: Int) -> Instant { Instant(microseconds: Int64(bitPattern: row.littleEndian64(at: place))) }
        let ended = time(16)
        self.init(
            startsAt: time(0), endsAt: time(8), endedAt: ended.microseconds == .min ? nil : ended, version: row.littleEndian64(at: 24))
    }

    /// A row as one line of text, which tools show to people.
    static func text(_ row: Span<UInt8>) -> String? {
        guard let times = CampaignTimes(row) else { return nil }
        let ended = times.endedAt.map { ", ended \($0.rfc3339)" } ?? ""
        return "from \(times.startsAt.rfc3339) to \(times.endsAt.rfc3339)\(ended), last changed at position \(times.version)"
    }
}
