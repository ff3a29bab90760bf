public import EventLog
internal import LoyaltyCodec
internal import ReadModels

/// The state of everything that has a read model, folded from the log alone, in memory.
///
/// It needs no keys and no models, and may run beside a server: snapshots of the log are kept while it scans. Events that no
/// wanted model reads are passed over by their type, without decoding. Models are shared out to two threads, which walk through the
/// log independently. It is a value: a copy stays where it was.
public struct Replay: Sendable {
    /// Cards expected per event of a log, as a share: a card takes a code and a stamp for each of its goal.
    private static let eventsPerCard: UInt64 = 16

    /// The last event looked at.
    public private(set) var position: Position = .start
    /// Names of the models whose state this is.
    public let models: [String]

    private let log: EventLog
    private var lanes: [ReplayLane]

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
        let capacity = Int(clamping: bound.through(log.head).rawValue / Self.eventsPerCard)
        lanes = ReplayLane.all(self.models, capacity: capacity)
        try advance(until: bound, progress: progress)
    }

    /// Folds what follows.
    ///
    /// - Parameters:
    ///   - bound: where to end; nothing happens where that is not beyond ``position``.
    ///   - progress: called now and then with the position, on this thread.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``; the replay is of no use then.
    public mutating func advance(until bound: ReplayBound, progress: (Position) -> Void = { _ in }) throws(AuditError) {
        let lanes = lanes
        self.lanes = []
        self.lanes = try ReplayThreads.fold(lanes, of: log, until: bound, progress)
        position = self.lanes.map(\.position).min() ?? position
    }

    /// How many events were looked at: positions have no gaps.
    public var events: UInt64 { position.rawValue }

    /// What a model must hold, table by table; empty for a name that is none.
    func tables(of model: String) -> [CanonicalTable] {
        for lane in lanes {
            if let tables = lane.tables(of: model) { return tables }
        }
        return []
    }
}
