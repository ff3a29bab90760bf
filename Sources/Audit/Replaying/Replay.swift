public import EventLog
internal import LoyaltyCodec
internal import ReadModels

/// The state of everything that has a read model, folded from the log alone, in memory.
///
/// It needs no keys and no models, and may run beside a server: one snapshot of the log is kept while it scans. Events that no
/// wanted model reads are passed over by their type, without decoding.
public struct Replay {
    /// Events between two reports of progress.
    private static let reportEvery: UInt64 = 65_536
    /// Cards expected per event of a log, as a share: a card takes a code and a stamp for each of its goal.
    private static let eventsPerCard: UInt64 = 16

    /// The last event looked at.
    public private(set) var position: Position = .start
    /// Names of the models whose state this is.
    public let models: [String]

    var cards: ReplayedCards
    var ratings = ReplayedRatings()
    var notices = ReplayedNotices()
    var statistics = ReplayedStatistics()
    private let log: EventLog
    private let cardTypes: TypeFilter
    private let ratingTypes: TypeFilter
    private let noticeTypes: TypeFilter
    private let statisticsTypes: TypeFilter

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
        cardTypes = TypeFilter(self.models.contains(CardProgress.name) ? CardProgress.eventTypes : [])
        ratingTypes = TypeFilter(self.models.contains(ShopRatings.name) ? ShopRatings.eventTypes : [])
        noticeTypes = TypeFilter(self.models.contains(Notices.name) ? Notices.eventTypes : [])
        statisticsTypes = TypeFilter(self.models.contains(Statistics.name) ? Statistics.eventTypes : [])
        cards = ReplayedCards(capacity: Int(clamping: bound.through(log.head).rawValue / Self.eventsPerCard))
        try advance(until: bound, progress: progress)
    }

    /// Folds what follows. A copy made before it stays where it was.
    ///
    /// - Parameters:
    ///   - bound: where to end; nothing happens where that is not beyond ``position``.
    ///   - progress: called now and then with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``; the replay is of no use then.
    public mutating func advance(until bound: ReplayBound, progress: (Position) -> Void = { _ in }) throws(AuditError) {
        do {
            try fold(until: bound, progress)
        } catch {
            throw AuditError(any: error)
        }
    }

    /// How many events were looked at: positions have no gaps.
    public var events: UInt64 { position.rawValue }

    private mutating func fold(until bound: ReplayBound, _ progress: (Position) -> Void) throws {
        let through = bound.through(log.head)
        guard through > position else { return }
        try log.scan(after: position, through: through) { (position, record) in
            if bound.ends(before: record) { return false }
            let type = record.type
            if cardTypes.contains(type) { try cards.apply(record, at: position) }
            if ratingTypes.contains(type) { try ratings.apply(record, at: position) }
            if noticeTypes.contains(type) { try notices.apply(record, at: position) }
            if statisticsTypes.contains(type) { try statistics.apply(record, at: position) }
            self.position = position
            if position.rawValue % Self.reportEvery == 0 { progress(position) }
            return true
        }
        progress(position)
    }
}

extension Replay {
    /// What a model must hold, table by table; empty for a name that is none.
    func tables(of model: String) -> [CanonicalTable] {
        switch model {
        case CardProgress.name: cards.tables
        case ShopRatings.name: ratings.tables
        case Notices.name: notices.tables
        case Statistics.name: statistics.tables
        default: []
        }
    }
}
