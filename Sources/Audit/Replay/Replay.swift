public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
internal import Projections
public import ReadModels

/// The state of the requested read models, folded in memory from the log alone.
///
/// It needs no keys and no stored models, and may run while a server writes, because it reads snapshots of the log. The log is read once.
/// Events that no requested model reads are skipped by their type, and the most frequent of the other events are read without decoding. A
/// replay is a value: a copy does not change when the original advances.
public struct Replay: Sendable {
    /// The names of the models whose state this replay folds.
    public let models: [String]

    private let log: EventLog
    private var fold: ReplayFold
    /// All cards, sorted in several orders. Valid until the next event is folded.
    private var orders: CardOrders

    /// Folds a log from its first event.
    ///
    /// - Parameters:
    ///   - models: names of the requested models; nil for all.
    ///   - progress: called from time to time with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``.
    public init(
        of log: EventLog, until bound: ReplayBound = .head, models: [String]? = nil, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) {
        self.log = log
        self.models = ReadModels.names.filter { models?.contains($0) ?? true }
        fold = ReplayFold(self.models, events: Int(clamping: bound.through(log.head).rawValue))
        orders = CardOrders(fold.numbers)
        try advance(until: bound, progress: progress)
    }

    /// Folds the events after ``position``, up to a bound.
    ///
    /// - Parameters:
    ///   - bound: the position or time at which to end. If it is not after ``position``, nothing is done.
    ///   - progress: called from time to time with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``; the replay MUST NOT be used after an
    ///   error.
    public mutating func advance(until bound: ReplayBound, progress: (Position) -> Void = { _ in }) throws(AuditError) {
        guard bound.through(log.head) > position else { return }
        // Releases the reference of `orders` to the numbers, so that `fold` changes them in place and does not copy them.
        orders = CardOrders(ReplayedNumbers(capacity: 0))
        try fold.advance(log, until: bound, progress)
        orders = CardOrders(fold.numbers)
    }

    /// The position of the last event that was read.
    public var position: Position { fold.position }

    /// The number of events that were read. It equals the position, because positions have no gaps.
    public var events: UInt64 { position.rawValue }

    /// The expected content of a model, table by table; empty for an unknown name.
    package func tables(of model: String) -> [CanonicalTable] {
        fold.model(named: model)?.tables(orders) ?? []
    }
}

/// The position or time at which a replay ends.
public enum ReplayBound: Hashable, Sendable {
    /// The end is the log's head at the time when the replay begins.
    case head
    /// The end is this position, or the log's head if the head is earlier.
    case position(Position)
    /// The end is just before the first event with a later time. Events that were imported afterwards are not read, even if their own times
    /// are earlier. So the replay reads the log as it was at this time.
    case time(Timestamp)

    /// Parses a position in decimal, or a time in the form of RFC 3339 (`2026-11-21T09:00:00Z`). Nil for any other text.
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(Position(number))
        } else if let instant = Instant(rfc3339: text) {
            self = .time(Timestamp(microseconds: instant.microseconds))
        } else {
            return nil
        }
    }

    /// The last position that a replay with this bound may read, for a log with the given head.
    package func through(_ head: Position) -> Position {
        if case .position(let position) = self { return min(position, head) }
        return head
    }

    /// Whether the replay ends before an event, because the event's time is later than the bound's.
    @inline(__always)
    package func ends(before record: borrowing Record) -> Bool {
        if case .time(let time) = self { return record.time.microseconds > time.microseconds }
        return false
    }
}

extension Replay {
    /// The ids of all shops that ever had a visit, in ascending order. The replay MUST include the model `journeys`.
    public var visitedShops: [ShopID] {
        var shops: [ShopID] = []
        forEachRow(of: "visits") { (key, _) in
            let shop = ShopID(key.bigEndian128(at: 0))
            if shops.last != shop { shops.append(shop) }
        }
        return shops
    }

    /// The quarters of an hour in which a shop's first and last visits happened; nil if the shop never had a visit. The replay MUST include
    /// the model `journeys`.
    public func visitedQuarters(of shop: ShopID) -> ClosedRange<Quarter>? {
        var quarters: ClosedRange<Quarter>?
        forEachRow(of: "visits") { (key, row) in
            guard key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) else { return }
            let known = quarters ?? visit.quarter...visit.quarter
            quarters = min(known.lowerBound, visit.quarter)...max(known.upperBound, visit.quarter)
        }
        return quarters
    }

    /// The report that the model `Journeys` is expected to return, computed from the log alone. The replay MUST include the model
    /// `journeys`.
    ///
    /// - Returns: the report. If the shop does not have the campaign of the query, the report has no effect of a campaign.
    public func journeyReport(of shop: ShopID, _ query: JourneyQuery) -> JourneyReport {
        var times: CampaignTimes?
        forEachRow(of: "campaigns") { (key, row) in
            let isAsked = key.bigEndian128(at: 0) == shop.value && key.bigEndian128(at: 16) == query.campaign?.value
            if isAsked { times = CampaignTimes(row) }
        }
        var making = JourneyMaking(query, times)
        forEachRow(of: "visits") { (key, row) in
            if key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) { making.add(visit) }
        }
        forEachRow(of: "cards") { (key, row) in
            if key.bigEndian128(at: 0) == shop.value, let card = CardJourney(row) { making.add(card) }
        }
        return making.report()
    }

    private func forEachRow(of table: String, _ body: (_ key: Span<UInt8>, _ row: Span<UInt8>) -> Void) {
        guard let table = tables(of: Journeys.name).first(where: { $0.name == table }) else { return }
        var row = CanonicalRow()
        for index in 0..<table.count {
            table.row(index, into: &row)
            body(row.key.bytes, row.value.span)
        }
    }
}
