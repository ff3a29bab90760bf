internal import EventLog
internal import Loyalty
internal import Projections
internal import ReadModels
internal import Synchronization

/// Folds the log with two threads, or with one if only one model is requested.
///
/// The caller's thread reads events into batches of 1,024. The most frequent events are read from the tags and payload bytes of their
/// records, without decoding the records to facts. The other thread gives numbers to cards and shops, and folds the largest models. Then
/// the batch returns to the caller's thread, which folds the other models with these numbers.
///
/// Each thread first reads all memory that a batch needs into the cache. So it waits for memory once for each batch and not once for each
/// event. The lines of cards' histories and the counts of statistics are first appended to lists. At the end, these entries are grouped by
/// card, customer and shop, which takes a fraction of the time that hash tables and sorting would take. 10,000,000 events take 9 s of
/// processor time; they took 26 s when each model looked up each card. Huge pages were tried and made no difference.
struct ReplayFold: Sendable {
    /// The number of events between two calls of `progress`.
    private static let reportEvery: UInt64 = 65_536
    /// The expected number of events for each card: about eight stamps, each with an event for its code and one for the stamp.
    private static let eventsPerCard = 16
    /// The expected number of events for each stamp: one for its code and one for the stamp itself.
    private static let eventsPerStamp = 2
    /// The number of stamps for which memory is reserved at the beginning. If the log has more stamps, the lists grow later.
    private static let stampsMax = 1 << 24

    /// Holds the other thread's models while that thread is not folding, and the error with which that thread failed.
    private final class Seat: Sendable {
        private let state: Mutex<(lane: ReplayLane?, failure: AuditError?)>

        init(_ lane: consuming ReplayLane?) { state = Mutex((lane, nil)) }

        /// Folds the queue's batches. Meanwhile, the models are not in this object, so that they are changed in place and not copied.
        func fold(_ queue: BatchQueue) {
            guard var lane = state.withLock({ $0.lane.take() }) else { return }
            while var batch = queue.next() {
                // After a failure, batches are returned to the reading thread without numbers.
                if failure == nil, let failure = lane.apply(&batch) { state.withLock { $0.failure = failure } }
                queue.giveBack(batch)
            }
            state.withLock { $0.lane = lane }
        }

        var failure: AuditError? { state.withLock { $0.failure } }
        func take() -> ReplayLane? { state.withLock { $0.lane.take() } }
    }

    /// The queue to the other folding thread, and the object with that thread's models.
    private typealias Other = (queue: BatchQueue, seat: Seat)

    private let reader: ReplayReader
    /// The models that the reading thread folds.
    private var near: ReplayLane
    /// The models that the other thread folds, and the numbers that it gives; nil if the reading thread does all the work.
    private var far: ReplayLane?
    /// The position of the last event that was read.
    private(set) var position: Position = .start

    /// - Parameters:
    ///   - names: the requested models.
    ///   - events: the expected number of events. If it is wrong, folding only takes longer.
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

    /// Folds the log's events after ``position``, up to a bound.
    ///
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

    /// Passes a filled batch to the models, and replaces it by an empty batch.
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

/// The models that one thread folds.
struct ReplayLane: Sendable {
    private var models: [any ReplayedModel]
    /// The numbers given to cards, shops and campaigns. Nil if another thread numbers the events before this thread receives them.
    private(set) var numbers: ReplayedNumbers?

    init(_ models: [any ReplayedModel], numbers: ReplayedNumbers? = nil) {
        (self.models, self.numbers) = (models, numbers)
    }

    /// A model's state; nil if this thread does not fold that model.
    func model(named name: String) -> (any ReplayedModel)? {
        models.first { type(of: $0).model.name == name }
    }

    /// If ``numbers`` is not nil, gives numbers to the cards and shops in a batch. Then passes the batch to each model. A batch without
    /// numbers, which the other thread returns after a failure, is ignored.
    ///
    /// - Returns: the error at the lowest position; nil if there is none. After an error, this value MUST NOT be used.
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
    /// The one of two errors that is at the lower position; nil if both are nil. An error without a position counts as the lowest.
    static func first(_ one: AuditError?, _ other: AuditError?) -> AuditError? {
        guard let one, let other else { return one ?? other }
        return (other.position ?? .start) < (one.position ?? .start) ? other : one
    }
}

/// The expected content of one read model, folded from the log in memory. It is a second, simpler implementation of the model, and its rows
/// are compared with those of the real one.
///
/// It is a value: a copy does not change when the original is changed. A new read model needs a type that conforms to this protocol, and a
/// line in ``ReplayFold``.
protocol ReplayedModel: Sendable {
    /// The read model that this type implements for a second time.
    static var model: any Projection.Type { get }

    /// Applies events in order, and ignores those that do not concern the model.
    ///
    /// - Throws: ``AuditError/Code/event`` for an event that is impossible in a valid log; after the error, this value MUST NOT be used.
    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError)

    /// The expected content of the model's tables, in the order of the model's list of tables.
    ///
    /// - Parameter cards: all cards that were opened, sorted as the tables need them.
    func tables(_ cards: CardOrders) -> [CanonicalTable]
}

extension AuditError {
    /// The error for an event that is impossible in a valid log.
    static func refused(_ detail: String, at position: UInt64) -> AuditError {
        AuditError(
            .event, detail, position: Position(position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
