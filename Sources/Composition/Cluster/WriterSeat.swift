internal import CommandService
internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels
internal import Synchronization

/// The parts that only the writer of a log has: they decide, record what is due, and remember the requests that added no event.
final class WriterSeat: Sendable {
    typealias Outcome = GroupCommit<CommandDecider>.Outcome

    /// How a node of a cluster writes during one term.
    struct Term {
        let durability: any BatchDurability
        let outcomeSecondsMax: Double
        /// Called for a command that was answered without its outcome, and is accepted. MUST NOT block.
        let onLateAcceptance: @Sendable (Acceptance) -> Void
    }

    let writer: GroupCommit<CommandDecider>
    let scheduler: Scheduler
    let idle: IdleRequests
    /// Nil if an outcome is awaited for any time.
    private let term: Term?
    private let isEnding = Atomic(false)
    /// Whether the shared log has too many entries that only one node has.
    let isFull = Atomic(false)
    /// The commands that were answered without their outcome, and what waits for all of them.
    private let overdue = Mutex((count: 0, acts: [@Sendable () -> Void]()))

    /// - Parameter term: nil without a cluster.
    init(
        _ log: EventLog, _ models: ReadModels, clock: ForwardClock, randomness: any Randomness, queueLimit: Int, cachedEntitiesMax: Int,
        idle: IdleRequests, term: Term?, timers: DeciderTimers, alerts: SearchAlerts, _ failStop: FailStop, _ found: FoundDamage
    ) {
        (self.idle, self.term) = (idle, term)
        writer = GroupCommit(
            log: log, queueLimit: queueLimit, durability: term?.durability, onFailure: { failStop.trip(WriterEnd($0)) },
            decider: { appender in
                CommandDecider(appender, clock: clock, cachedEntitiesMax: cachedEntitiesMax, idle: idle, timers: timers)
            })
        let newNotice: @Sendable () -> NoticeID = {
            NoticeID(UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
        }
        let due: Scheduler.Alerts = { (passed) throws(ReadModelError) in try alerts.due(at: passed, newNotice) }
        scheduler = Scheduler(models, clock: clock, newNotice: newNotice, alerts: due) { [writer] submission, resume in
            if found.refusesEvents { return resume(.failure(.stopped)) }
            writer.offer(submission, resume: resume)
        }
    }

    /// - Parameter duePeriodSeconds: between two passes of the scheduler; nil for none.
    func start(duePeriodSeconds: Double?) {
        writer.start()
        if let duePeriodSeconds { scheduler.start(periodSeconds: duePeriodSeconds) }
    }

    /// Finishes waiting commands. Blocks.
    @available(*, noasync)
    func stop() {
        // First: the scheduler's commands wait for the writer, which only then waits no longer for a silent shared log.
        writer.beginStop()
        scheduler.stop()
        writer.stop()
        idle.close()
    }

    /// Finishes waiting commands, and refuses all others with `.notWriter`. Blocks.
    ///
    /// - Returns: false if the writer has failed, so that the process MUST end.
    @available(*, noasync)
    func handOver() -> Bool {
        isEnding.store(true, ordering: .releasing)
        stop()
        return writer.failure == nil
    }
}

extension WriterSeat {
    /// Offers a command, and awaits its outcome.
    ///
    /// - Parameter onOutcome: called before the return, unless the command takes too long.
    func outcome(of submission: Submission, onOutcome: @escaping @Sendable () -> Void = {}) async -> Outcome {
        await withCheckedContinuation { continuation in
            guard let term else {
                return writer.offer(submission) { outcome in
                    onOutcome()
                    continuation.resume(returning: outcome)
                }
            }
            let first = FirstOutcome(continuation)
            let timer = Task {
                try await Task.sleep(for: .seconds(term.outcomeSecondsMax))
                // Counted before the answer, so that ``afterOutcomes(_:)`` finds it.
                self.count(overdue: 1)
                if !first.resume(.success(.failure(.writerUnavailable))) { self.count(overdue: -1) }
            }
            writer.offer(submission) { outcome in
                timer.cancel()
                onOutcome()
                guard !first.resume(outcome) else { return }
                if case .success(.success(let acceptance)) = outcome { term.onLateAcceptance(acceptance) }
                self.count(overdue: -1)
            }
        }
    }

    /// Calls the closure once the outcome of each command that was answered without it is known. It MUST NOT block.
    func afterOutcomes(_ act: @escaping @Sendable () -> Void) {
        let isNow = overdue.withLock { overdue in
            if overdue.count > 0 { overdue.acts.append(act) }
            return overdue.count == 0
        }
        if isNow { act() }
    }

    private func count(overdue change: Int) {
        let acts = overdue.withLock { overdue in
            overdue.count += change
            defer { if overdue.count == 0 { overdue.acts = [] } }
            return overdue.count == 0 ? overdue.acts : []
        }
        for act in acts { act() }
    }

    /// The error of a command that was refused.
    func error(of refusal: GroupCommitRefusal) -> ServiceError {
        switch refusal {
        case .queueFull: .overloaded
        // A writer that failed may have stored the command.
        case .stopped: isEnding.load(ordering: .acquiring) && writer.failure == nil ? .notWriter : .stopping
        }
    }
}

/// Resumes a continuation once.
private final class FirstOutcome: Sendable {
    private let waiting: Mutex<CheckedContinuation<WriterSeat.Outcome, Never>?>

    init(_ continuation: CheckedContinuation<WriterSeat.Outcome, Never>) { waiting = Mutex(continuation) }

    /// Returns false the second time.
    func resume(_ outcome: WriterSeat.Outcome) -> Bool {
        let waiting = waiting.withLock { $0.take() }
        waiting?.resume(returning: outcome)
        return waiting != nil
    }
}
