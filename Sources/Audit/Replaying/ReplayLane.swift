internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Models that are folded by one thread, in one walk through the log.
struct ReplayLane: Sendable {
    /// Events between two reports of progress.
    private static let reportEvery: UInt64 = 65_536

    private struct Part: Sendable {
        let wanted: TypeFilter
        var state: any ReplayedModel
    }

    private var parts: [Part]
    /// The last event looked at.
    private(set) var position: Position = .start

    /// Every model that is wanted, shared out so that the lanes take about as long as each other.
    ///
    /// - Parameter capacity: cards expected; more only cost time.
    static func all(_ names: [String], capacity: Int) -> [ReplayLane] {
        let lanes: [[any ReplayedModel]] = [
            [ReplayedCards(capacity: capacity), ReplayedRatings(), ReplayedNotices()],
            [ReplayedStatistics(capacity: capacity), ReplayedJourneys(capacity: capacity)],
        ]
        return lanes.map { ReplayLane($0.filter { names.contains(type(of: $0).model.name) }) }.filter { !$0.parts.isEmpty }
    }

    private init(_ states: [any ReplayedModel]) {
        parts = states.map { Part(wanted: TypeFilter(type(of: $0).model.eventTypes), state: $0) }
    }

    /// What a model must hold, table by table; nil where it is not of this lane.
    func tables(of model: String) -> [CanonicalTable]? {
        parts.first { type(of: $0.state).model.name == model }?.state.tables
    }

    /// Folds what follows.
    ///
    /// - Parameter through: one head for all lanes: a log that a server writes grows meanwhile.
    /// - Throws: ``AuditError``, with the lane of no use any more.
    mutating func fold(
        _ log: EventLog, until bound: ReplayBound, through: Position, _ progress: (Position) -> Void
    ) throws {
        guard through > position else { return }
        try log.scan(after: position, through: through) { (position, record) in
            if bound.ends(before: record) { return false }
            try apply(record, at: position)
            self.position = position
            if position.rawValue % Self.reportEvery == 0 { progress(position) }
            return true
        }
        progress(position)
    }

    /// Each event is decoded once at most, whoever wants it.
    @inline(__always)
    private mutating func apply(_ record: borrowing Record, at position: Position) throws {
        let type = record.type
        // A bit for each model that is to have it decoded.
        var left: UInt64 = 0
        for index in parts.indices where parts[index].wanted.contains(type) {
            if !parts[index].state.applyUndecoded(record, at: position) { left |= 1 << UInt64(index) }
        }
        guard left != 0 else { return }
        if let card = OpenedCard(record) { return try apply(card.fact(of: record, at: position), to: left) }
        try apply(try LoyaltyCodec.decode(record, at: position), to: left)
    }

    /// Out of line: a decoded event is a third of a kilobyte, and most events never are.
    @inline(never)
    private mutating func apply(_ fact: borrowing Fact, to models: UInt64) throws {
        for index in parts.indices where models >> UInt64(index) & 1 == 1 { try parts[index].state.apply(copy fact) }
    }
}
