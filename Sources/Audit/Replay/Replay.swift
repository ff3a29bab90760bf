public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
internal import Projections
public import ReadModels

/// The state of the requested read models, folded in memory from the log alone, without keys, and beside a writing server.
///
/// Events that no requested model reads are skipped by type, and the most frequent others are not decoded. A replay is a value.
public struct Replay: Sendable {
    public let models: [String]

    private let log: EventLog
    private var fold: ReplayFold
    /// Valid until the next event is folded.
    private var orders: CardOrders

    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``; ``AuditError/Code/model`` for an unknown
    ///   name.
    public init(
        of log: EventLog, until bound: ReplayBound = .head, models: [String]? = nil, progress: (Position) -> Void = { _ in }
    ) throws(AuditError) {
        self.log = log
        self.models = ReadModels.names.filter { models?.contains($0) ?? true }
        fold = try ReplayFold(models ?? ReadModels.names, events: Int(clamping: bound.through(log.head).rawValue))
        orders = CardOrders(fold.numbers)
        try advance(until: bound, progress: progress)
    }

    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``; the replay MUST NOT be used after an
    ///   error.
    public mutating func advance(until bound: ReplayBound, progress: (Position) -> Void = { _ in }) throws(AuditError) {
        guard bound.through(log.head) > position else { return }
        // Releases the numbers, so that `fold` changes them in place.
        orders = CardOrders(ReplayedNumbers(capacity: 0))
        try fold.advance(log, until: bound, progress)
        orders = CardOrders(fold.numbers)
    }

    public var position: Position { fold.position }

    public var events: UInt64 { position.rawValue }

    /// Empty for a model that was not requested.
    package func tables(of model: String) -> [CanonicalTable] { fold.model(named: model)?.tables(orders) ?? [] }
}

/// The position or time at which a replay ends.
public enum ReplayBound: Hashable, Sendable {
    case head
    /// Or the log's head, if it is earlier.
    case position(Position)
    /// The end is before the first event with a later time, so later imports with earlier times are not read.
    case time(Timestamp)

    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(Position(number))
        } else if let instant = Instant(rfc3339: text) {
            self = .time(Timestamp(microseconds: instant.microseconds))
        } else {
            return nil
        }
    }

    /// The last position that a replay may read.
    package func through(_ head: Position) -> Position {
        if case .position(let position) = self { return min(position, head) }
        return head
    }

    /// Whether the event's time is later than the bound's.
    @inline(__always)
    package func ends(before record: borrowing Record) -> Bool {
        if case .time(let time) = self { return record.time.microseconds > time.microseconds }
        return false
    }
}

extension Replay {
    /// Ascending; requires the model `journeys`.
    public var visitedShops: [ShopID] {
        var shops: [ShopID] = []
        forEachRow(of: "visits") { (key, _) in
            let shop = ShopID(key.bigEndian128(at: 0))
            if shops.last != shop { shops.append(shop) }
        }
        return shops
    }

    /// Requires the model `journeys`.
    public func visitedQuarters(of shop: ShopID) -> ClosedRange<Quarter>? {
        var quarters: ClosedRange<Quarter>?
        forEachRow(of: "visits") { (key, row) in
            guard key.bigEndian128(at: 0) == shop.value, let visit = ShopVisit(key: key, row) else { return }
            let known = quarters ?? visit.quarter...visit.quarter
            quarters = min(known.lowerBound, visit.quarter)...max(known.upperBound, visit.quarter)
        }
        return quarters
    }

    /// The report that the model `Journeys` is expected to return; requires the model `journeys`. Without the campaign, the report has no
    /// effect of one.
    ///
    /// The report is made by the model's own code from replayed rows, so it does not check that code.
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
