public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
internal import Projections
public import ReadModels

/// The state of everything that has a read model, folded from the log alone, in memory.
///
/// It needs no keys and no models, and may run beside a server: snapshots of the log are kept while it scans. The log is read once;
/// events that no wanted model reads are passed over by their type, and the hottest of the others are never decoded. It is a value:
/// a copy stays where it was.
public struct Replay: Sendable {
    /// Names of the models whose state this is.
    public let models: [String]

    private let log: EventLog
    private var fold: ReplayFold
    /// All cards in order, for as long as no event is added.
    private var orders: CardOrders

    /// Folds a log from its first event.
    ///
    /// - Parameters:
    ///   - models: names of those wanted; nil for all.
    ///   - progress: called now and then with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``.
    public init(
        of log: EventLog, until bound: ReplayBound = .head, models: [String]? = nil, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) {
        self.log = log
        self.models = ReadModels.names.filter { models?.contains($0) ?? true }
        fold = ReplayFold(self.models, events: Int(clamping: bound.through(log.head).rawValue))
        orders = CardOrders(fold.numbers)
        try advance(until: bound, progress: progress)
    }

    /// Folds what follows.
    ///
    /// - Parameters:
    ///   - bound: where to end; nothing happens where that is not beyond ``position``.
    ///   - progress: called now and then with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``; the replay is of no use then.
    public mutating func advance(until bound: ReplayBound, progress: (Position) -> Void = { _ in }) throws(AuditError) {
        guard bound.through(log.head) > position else { return }
        // Held by nobody else, the numbers are added to in place.
        orders = CardOrders(ReplayedNumbers(capacity: 0))
        try fold.advance(log, until: bound, progress)
        orders = CardOrders(fold.numbers)
    }

    /// The last event looked at.
    public var position: Position { fold.position }

    /// How many events were looked at: positions have no gaps.
    public var events: UInt64 { position.rawValue }

    /// The expected content of a model, table by table; empty for an unknown name.
    package func tables(of model: String) -> [CanonicalTable] {
        fold.model(named: model)?.tables(orders) ?? []
    }
}

/// The end of a replay.
public enum ReplayBound: Hashable, Sendable {
    /// The log's head when the replay begins.
    case head
    /// This event, or the head if it is beyond it.
    case position(Position)
    /// Before the first event later than this: the log as it stood then. Events imported afterwards stand behind it, even
    /// where they tell of earlier days.
    case time(Timestamp)

    /// A position in decimal, or a time as RFC 3339 (`2026-11-21T09:00:00Z`); nil for anything else.
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(Position(number))
        } else if let instant = Instant(rfc3339: text) {
            self = .time(Timestamp(microseconds: instant.microseconds))
        } else {
            return nil
        }
    }

    /// The last position that may be looked at.
    package func through(_ head: Position) -> Position {
        if case .position(let position) = self { return min(position, head) }
        return head
    }

    /// Whether an event lies beyond.
    @inline(__always)
    package func ends(before record: borrowing Record) -> Bool {
        if case .time(let time) = self { return record.time.microseconds > time.microseconds }
        return false
    }
}

extension Replay {
    /// The shops of a replay of `journeys` that were ever visited, in the order of their ids.
    public var visitedShops: [ShopID] {
        var shops: [ShopID] = []
        forEachRow(of: "visits") { (key, _) in
            let shop = ShopID(key.bigEndian128(at: 0))
            if shops.last != shop { shops.append(shop) }
        }
        return shops
    }

    /// The quarters of a shop's first and last visit; nil where it was never visited.
    public func visitedQuarters(of shop: ShopID) -> ClosedRange<Quarter>? {
        var quarters: ClosedRange<Quarter>?
        forEachRow(of: "visits") { (key, row) in
            guard key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) else { return }
            let known = quarters ?? visit.quarter...visit.quarter
            quarters = min(known.lowerBound, visit.quarter)...max(known.upperBound, visit.quarter)
        }
        return quarters
    }

    /// The expected answer of `Journeys`, made from the log alone. The replay MUST be one of `journeys`.
    ///
    /// - Returns: no effect if the shop has no such campaign.
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
