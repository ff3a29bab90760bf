public import EventLog
internal import LoyaltyCodec
internal import ReadModels

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

    /// What a model must hold, table by table; empty for a name that is none.
    func tables(of model: String) -> [CanonicalTable] {
        fold.model(named: model)?.tables(orders) ?? []
    }
}
