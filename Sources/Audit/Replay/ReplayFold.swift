internal import EventLog
internal import Loyalty
internal import Projections
internal import ReadModels
internal import Synchronization

/// Folds the log with two threads, or with one if only one model is requested.
///
/// The caller's thread reads events into batches of 1,024. The most frequent ones are taken from a record's tags alone, without decoding a
/// payload. The other thread numbers cards and shops and folds the largest models. Then the batch returns to the caller's thread, which
/// folds the other models with these numbers.
///
/// Each thread first prefetches all memory that a batch needs, so that it waits for memory once for each batch and not once for each event.
/// The lines of cards' histories and the counts of statistics are first collected in lists, oldest first. At the end they are distributed
/// to cards, customers and shops, which takes a fraction of the time of hash tables and sorting. 10,000,000 events take 9 s of processor
/// time; they took 26 s when each model looked up each card. Huge pages were tried and made no difference.
struct ReplayFold: Sendable {
    /// The number of events between two reports of progress.
    private static let reportEvery: UInt64 = 65_536
    /// The expected number of events for each card: about eight stamps, each with an event for its code and one for the stamp.
    private static let eventsPerCard = 16
    /// The expected number of events for each stamp: its code and the stamp itself.
    private static let eventsPerStamp = 2
    /// The number of stamps for which room is reserved at once. The lists grow beyond it.
    private static let stampsMax = 1 << 24

    /// Holds the models of the other thread before and after that thread folds, and the error of that thread.
    private final class Seat: Sendable {
        private let state: Mutex<(lane: ReplayLane?, failure: AuditError?)>

        init(_ lane: consuming ReplayLane?) { state = Mutex((lane, nil)) }

        /// Folds the queue's batches. During this, the models are not in this object, so that they are changed in place and not copied.
        func fold(_ queue: BatchQueue) {
            guard var lane = state.withLock({ $0.lane.take() }) else { return }
            while var batch = queue.next() {
                // After a failure, batches are given back without numbers.
                if failure == nil, let failure = lane.apply(&batch) { state.withLock { $0.failure = failure } }
                queue.giveBack(batch)
            }
            state.withLock { $0.lane = lane }
        }

        var failure: AuditError? { state.withLock { $0.failure } }
        func take() -> ReplayLane? { state.withLock { $0.lane.take() } }
    }

    /// The connection to the other folding thread.
    private typealias Other = (queue: BatchQueue, seat: Seat)

    private let reader: ReplayReader
    /// The models that the reading thread folds.
    private var near: ReplayLane
    /// The models that the other thread folds; nil if there are none.
    private var far: ReplayLane?
    /// The position of the last event read.
    private(set) var position: Position = .start

    /// - Parameters:
    ///   - names: the requested models.
    ///   - events: the expected number of events. A wrong number only costs time.
    init(_ names: [String], events: Int) {
        let stamps = min(events / Self.eventsPerStamp, Self.stampsMax)
        let numbers = ReplayedNumbers(capacity: events / Self.eventsPerCard)
        func wanted(_ models: [any ReplayedModel]) -> [any ReplayedModel] { models.filter { names.contains(type(of: $0).model.name) } }
        let light = wanted([ReplayedCards(capacity: stamps), ReplayedRatings(), ReplayedNotices(), ReplayedDeadlines()])
        let heavy = wanted([ReplayedStatistics(capacity: stamps), ReplayedJourneys(capacity: stamps)])
        reader = ReplayReader((light + heavy).reduce(into: Set<EventType>()) { $0.formUnion(type(of: $1).model.eventTypes) })
        let isShared = light.count + heavy.count > 1
        near = isShared ? ReplayLane(light) : ReplayLane(light + heavy, numbers: numbers)
        far = isShared ? ReplayLane(heavy, numbers: numbers) : nil
    }

    /// The numbers that the replay gave to cards, shops and campaigns.
    var numbers: ReplayedNumbers { far?.numbers ?? near.numbers ?? ReplayedNumbers(capacity: 0) }

    /// A model's state; nil if it was not requested.
    func model(named name: String) -> (any ReplayedModel)? { near.model(named: name) ?? far?.model(named: name) }

    /// Folds the following events.
    ///
    /// - Throws: the failure at the lowest position; the fold MUST NOT be used after it.
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
        let (queue, seat) = (BatchQueue(), Seat(far.take()))
        let other = Workers(1, named: "replay") { _ in seat.fold(queue) }
        var failure = walk(log, bound, through, progress, (queue, seat))
        queue.close()
        other.wait()
        far = seat.take()
        failure = AuditError.first(failure, seat.failure)
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
                if batch.isFull {
                    failure = handOn(&batch, other)
                    if failure != nil { return false }
                }
                if position.rawValue % Self.reportEvery == 0 { progress(position) }
                return true
            }
        } catch {
            failure = AuditError(any: error)
        }
        return AuditError.first(failure, handOn(&batch, other))
    }

    /// Passes a filled batch to the models, and takes an empty one in its place.
    private mutating func handOn(_ batch: inout ReplayBatch, _ other: Other?) -> AuditError? {
        if let other {
            other.queue.put(batch)
            batch = other.queue.takeBack()
        }
        let failure = near.apply(&batch)
        batch.removeAll()
        return AuditError.first(failure, other?.seat.failure)
    }
}

/// Models folded by one thread.
struct ReplayLane: Sendable {
    private var models: [any ReplayedModel]
    /// The numbers of ids; nil if the batches come from another thread, which has numbered them.
    private(set) var numbers: ReplayedNumbers?

    init(_ models: [any ReplayedModel], numbers: ReplayedNumbers? = nil) {
        (self.models, self.numbers) = (models, numbers)
    }

    /// The expected content of a model; nil if this thread does not fold that model.
    func model(named name: String) -> (any ReplayedModel)? {
        models.first { type(of: $0).model.name == name }
    }

    /// If ``numbers`` is not nil, numbers the ids of a batch. Then passes the batch to each model. A batch without numbers, which the other
    /// thread gives back after a failure, is ignored.
    ///
    /// - Returns: the refusal at the lowest position. After a refusal this value MUST NOT be used.
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
    /// The error at the lower position.
    static func first(_ one: AuditError?, _ other: AuditError?) -> AuditError? {
        guard let one, let other else { return one ?? other }
        return (other.position ?? .start) < (one.position ?? .start) ? other : one
    }
}

/// The expected content of one read model, folded from the log in memory. It is a second, simpler implementation of the model, and the two
/// check each other.
///
/// It is a value, so a copy keeps its state. A new read model needs a type that conforms to this protocol, and a line in ``ReplayFold``.
protocol ReplayedModel: Sendable {
    /// The model whose content this is.
    static var model: any Projection.Type { get }

    /// Applies events in order, and ignores those that do not concern the model.
    ///
    /// - Throws: ``AuditError/Code/event`` for an event that the rules exclude; the model MUST NOT be used after it.
    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError)

    /// The model's tables in their order.
    ///
    /// - Parameter cards: all cards that were opened, in the orders that tables need.
    func tables(_ cards: CardOrders) -> [CanonicalTable]
}

extension AuditError {
    /// The error for an event that the log's rules exclude.
    static func refused(_ detail: String, at position: UInt64) -> AuditError {
        AuditError(
            .event, detail, position: Position(position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
