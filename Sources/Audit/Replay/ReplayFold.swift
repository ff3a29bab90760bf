internal import EventLog
internal import Projections
internal import ReadModels
internal import Synchronization

/// Folds the log with two threads, or with one for a single model.
///
/// The caller's thread reads batches of 1,024 events. The other thread gives numbers to cards and shops, folds the largest models, and
/// returns the batch for the other models. Each thread first reads a batch's memory into the cache, so it waits once for each batch.
/// Histories and counts are lists that are grouped at the end, which is much faster than hash tables.
struct ReplayFold: Sendable {
    private static let reportEvery: UInt64 = 65_536
    private static let eventsPerCard = 16
    private static let eventsPerStamp = 2
    private static let stampsMax = 1 << 24
    private static let heavy: Set<ModelKind> = [.statistics, .journeys]

    private final class HeldLane: Sendable {
        private let state: Mutex<(lane: ReplayLane?, failure: AuditError?)>

        init(_ lane: consuming ReplayLane?) { state = Mutex((lane, nil)) }

        /// The models are taken out meanwhile, so that they are changed in place.
        func fold(_ queue: BatchQueue) {
            guard var lane = state.withLock({ $0.lane.take() }) else { return }
            while var batch = queue.next() {
                // After a failure, batches are returned without numbers.
                if failure == nil, let failure = lane.apply(&batch) { state.withLock { $0.failure = failure } }
                queue.giveBack(batch)
            }
            state.withLock { $0.lane = lane }
        }

        var failure: AuditError? { state.withLock { $0.failure } }
        func take() -> ReplayLane? { state.withLock { $0.lane.take() } }
    }

    private typealias Other = (queue: BatchQueue, held: HeldLane)

    private let reader: ReplayReader
    private var near: ReplayLane
    /// Nil if the reading thread does all the work.
    private var far: ReplayLane?
    private(set) var position: Position = .start

    /// - Parameter events: the expected number of events; a wrong one only costs time.
    /// - Throws: ``AuditError/Code/model`` for a name without a replayed model, because a model without expected rows would equal anything.
    init(_ names: [String], events: Int) throws(AuditError) {
        if let name = names.first(where: { !ReadModels.names.contains($0) }) {
            throw AuditError(.model, "there is no replay of the model \(name).", remedy: "Use the tools of the server's version.")
        }
        let kinds = ModelKind.allCases.filter { names.contains($0.name) }
        let light = kinds.filter { !Self.heavy.contains($0) }.map { Self.model($0, events) }
        let heavy = kinds.filter(Self.heavy.contains).map { Self.model($0, events) }
        reader = ReplayReader((light + heavy).reduce(into: Set<EventType>()) { $0.formUnion(type(of: $1).model.eventTypes) })
        let numbers = ReplayedNumbers(capacity: events / Self.eventsPerCard)
        let isShared = kinds.count > 1
        near = isShared ? ReplayLane(light) : ReplayLane(light + heavy, numbers: numbers)
        far = isShared ? ReplayLane(heavy, numbers: numbers) : nil
    }

    private static func model(_ kind: ModelKind, _ events: Int) -> any ReplayedModel {
        let stamps = min(events / eventsPerStamp, stampsMax)
        return switch kind {
        case .cards: ReplayedCards(capacity: stamps)
        case .ratings: ReplayedRatings()
        case .notices: ReplayedNotices()
        case .statistics: ReplayedStatistics(capacity: stamps)
        case .journeys: ReplayedJourneys(capacity: stamps)
        case .deadlines: ReplayedDeadlines()
        case .activity: ReplayedActivity()
        case .customers: ReplayedCustomers(capacity: stamps)
        case .searches: ReplayedSearches()
        }
    }

    var numbers: ReplayedNumbers { far?.numbers ?? near.numbers ?? ReplayedNumbers(capacity: 0) }

    func model(named name: String) -> (any ReplayedModel)? { near.model(named: name) ?? far?.model(named: name) }

    /// - Throws: the failure at the lowest position, after which the fold MUST NOT be used.
    mutating func advance(_ log: EventLog, until bound: ReplayBound, _ progress: (Position) -> Void) throws(AuditError) {
        let through = bound.through(log.head)
        guard through > position else { return }
        let failure = far == nil ? walk(log, bound, through, progress, nil) : walkWithFar(log, bound, through, progress)
        if let failure { throw failure }
        progress(position)
    }

    private mutating func walkWithFar(
        _ log: EventLog, _ bound: ReplayBound, _ through: Position, _ progress: (Position) -> Void
    ) -> AuditError? {
        let (queue, held) = (BatchQueue(), HeldLane(far.take()))
        let other = Workers(1, named: "replay") { _ in held.fold(queue) }
        var failure = walk(log, bound, through, progress, (queue, held))
        queue.close()
        other.wait()
        far = held.take()
        failure = AuditError.first(failure, held.failure)
        for var batch in queue.rest { failure = AuditError.first(failure, near.apply(&batch)) }
        return failure
    }

    private mutating func walk(
        _ log: EventLog, _ bound: ReplayBound, _ through: Position, _ progress: (Position) -> Void, _ other: Other?
    ) -> AuditError? {
        var batch = ReplayBatch()
        var failure: AuditError?
        do {
            try log.scan(after: position, through: through) { (position, record) in
                if bound.ends(before: record) { return false }
                try reader.read(record, at: position, into: &batch)
                self.position = position
                if batch.isFull { failure = handOn(&batch, other) }
                if failure != nil { return false }
                if position.rawValue % Self.reportEvery == 0 { progress(position) }
                return true
            }
        } catch { failure = AuditError(any: error) }
        return AuditError.first(failure, handOn(&batch, other))
    }

    private mutating func handOn(_ batch: inout ReplayBatch, _ other: Other?) -> AuditError? {
        if let other {
            other.queue.put(batch)
            batch = other.queue.takeBack()
        }
        let failure = near.apply(&batch)
        batch.removeAll()
        return AuditError.first(failure, other?.held.failure)
    }
}

/// The models that one thread folds.
struct ReplayLane: Sendable {
    private var models: [any ReplayedModel]
    /// Nil if another thread numbers the events.
    private(set) var numbers: ReplayedNumbers?

    init(_ models: [any ReplayedModel], numbers: ReplayedNumbers? = nil) { (self.models, self.numbers) = (models, numbers) }

    func model(named name: String) -> (any ReplayedModel)? { models.first { type(of: $0).model.name == name } }

    /// A batch that stayed without numbers after a failure is ignored.
    ///
    /// - Returns: the error at the lowest position.
    mutating func apply(_ batch: inout ReplayBatch) -> AuditError? {
        var failure = numbers?.resolve(&batch)
        guard batch.isNumbered else { return nil }
        for index in models.indices {
            do { try models[index].apply(batch) } catch { failure = AuditError.first(failure, error) }
        }
        return failure
    }
}

extension AuditError {
    /// An error without a position comes first.
    static func first(_ one: AuditError?, _ other: AuditError?) -> AuditError? {
        guard let one, let other else { return one ?? other }
        return (other.position ?? .start) < (one.position ?? .start) ? other : one
    }
}

/// A second, simpler implementation of a read model, folded in memory and compared with the real rows.
///
/// It is a value.
protocol ReplayedModel: Sendable {
    static var model: any Projection.Type { get }

    /// - Throws: ``AuditError/Code/event`` for an event that is impossible in a valid log; after the error, this value MUST NOT be used.
    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError)

    func tables(_ cards: CardOrders) -> [CanonicalTable]
}

extension AuditError {
    static func refused(_ detail: String, at position: UInt64) -> AuditError {
        AuditError(
            .event, detail, position: Position(position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
