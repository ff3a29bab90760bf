internal import Dispatch
internal import Synchronization

/// The only writer of a log. It has two plain threads: one decides waiting requests while the other flushes decided batches.
///
/// All requests that are decided while a flush runs share the next flush. An answer is sent when everything that its decision may have seen
/// is on disk, even if the decision staged nothing: a rejection can reveal an event just as an acceptance can.
///
/// There are three classes of failure. *Of a request*: its answer reports the failure, and the batch continues. *Of a batch*: impossible,
/// because a batch is in memory until its commit. *Fatal* (a commit threw, so that its outcome is unknown, the index cannot be maintained,
/// or the writer cannot begin): no caller gets a result, the writer stops permanently, and the process must end. The next opening reads the
/// outcome from the disk.
///
/// Code here that runs for every batch uses no key paths: in a generic type, each use of a key path looks up its types by name, which took
/// a tenth of the committer's time.
///
/// After a commit, the committer's thread sends the answers, or hands them to a pool of threads, before its next commit. The decider's
/// thread cannot send these answers, because the index may block that thread, and a durable answer must not wait for it.
public final class GroupCommit<Decider: BatchDecider>: Sendable {
    public typealias Outcome = Result<Decider.Answer, GroupCommitRefusal>
    typealias Gate = PipelineGate<Decider.Request, Decider.Answer>

    private let gate: Gate
    /// References to the log, one for each thread. Each thread releases its reference before it signals its end, so that the log can then
    /// be reopened.
    private let deciderLog, committerLog: Loan<EventLog>
    private let makeDecider: @Sendable (Appender) throws -> Decider
    private let onFailure: @Sendable (any Error) -> Void
    private let ended = DispatchGroup()
    /// The semaphore is signalled when the last batch is stored, or when it can no longer be stored.
    private let committerEnd = DispatchSemaphore(value: 0)
    private let cause = Mutex<(any Error)?>(nil)

    /// Creates a writer, which ``start()`` starts.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, without an appender.
    ///   - queueLimit: the maximum number of waiting requests; further ones are refused at once.
    ///   - batchMax: the maximum number of requests that one commit answers.
    ///   - onFailure: called once, on one of the writer's threads, with the reason for a permanent stop, before the callers that wait for
    ///     an answer are refused.
    ///   - decider: called once, on the deciding thread.
    public init(
        log: EventLog, queueLimit: Int = LogLimits.waitingRequestsMax, batchMax: Int = LogLimits.batchRequestsMax,
        onFailure: @escaping @Sendable (any Error) -> Void, decider: @escaping @Sendable (Appender) throws -> Decider
    ) {
        gate = Gate(queueLimit: queueLimit, batchMax: batchMax)
        deciderLog = Loan(log)
        committerLog = Loan(log)
        makeDecider = decider
        self.onFailure = onFailure
    }

    /// Starts the threads. Call once.
    public func start() {
        startThread("decider") { $0.decideUntilStopped() }
        startThread("committer") { $0.commitUntilStopped() }
    }

    /// Accepts no more requests, processes those that wait, and returns when both threads have ended and every caller has an answer.
    /// Blocks. Call it after ``start()``.
    @available(*, noasync)
    public func stop() {
        gate.stop()
        ended.wait()
    }

    /// Like ``stop()``, but for tasks: waits without blocking a thread.
    public func shutDown() async {
        gate.stop()
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    /// Accepts no more requests and returns at once; waiting requests are still processed.
    func beginStop() { gate.stop() }

    /// The reason for a permanent stop; nil while the writer runs, and after an orderly stop.
    public var failure: (any Error)? { cause.withLock { $0 } }

    /// The number of requests whose commit has not begun.
    public var depth: Int { gate.depth }

    /// Offers a request. `resume` is called exactly once, on any thread: with the answer when it is durable, or with a refusal. `resume`
    /// MUST NOT block, because all other requests would wait for it.
    public func offer(_ request: Decider.Request, resume: @escaping @Sendable (Outcome) -> Void) {
        if let refusal = gate.offer(.init(request: request, resume: resume)) { resume(.failure(refusal)) }
    }

    /// Offers a request and awaits its outcome. Cancelling the task does not withdraw the request.
    public func submit(_ request: Decider.Request) async throws(GroupCommitRefusal) -> Decider.Answer {
        try await withCheckedContinuation { continuation in offer(request) { continuation.resume(returning: $0) } }.get()
    }

    private func startThread(_ name: String, _ body: @escaping @Sendable (GroupCommit) -> Void) {
        AwaitedThread.start(name, in: ended) { [self] in body(self) }
    }

    // MARK: - The decider's thread

    private func decideUntilStopped() {
        guard let log = deciderLog.take() else { return }
        do {
            let appender = try log.appender()
            var decider = try makeDecider(appender)
            while try decideRound(with: &decider, appender) {}
            // Releasing the appender permits a new one, which continues after the stored events. So this appender is released only after
            // the last commit.
            withExtendedLifetime((appender, decider)) { committerEnd.wait() }
        } catch {
            fail(error)
            // `fail` has refused the waiting callers. This call records that the decider has ended, so that the committer ends too.
            _ = endDecider(gate.nextForDecider())
        }
    }

    /// Decides the next requests and hands them to the committer.
    ///
    /// - Returns: false if the decider has ended and there are no further rounds.
    private func decideRound(with decider: inout Decider, _ appender: Appender) throws -> Bool {
        let step = gate.nextForDecider()
        guard case .work(let waiters) = step else { return endDecider(step) }
        do {
            try appender.forgetStored { gate.demandFlush() }
            let decided = waiters.map { Gate.Pipeline.Decided(answer: decider.decide($0.request), resume: $0.resume) }
            // A crash between here and the return of the commit leaves the whole batch stored or nothing of it, and no caller answered.
            hand(over: Gate.Pipeline.Sealed(batch: try appender.seal(), decided: decided))
        } catch {
            // The cause must be known before these callers are refused.
            fail(error)
            refuse(waiters.map(\.resume))
            throw error
        }
        return true
    }

    private func hand(over round: Gate.Pipeline.Sealed) {
        switch gate.handOver(round) {
        case .taken: break
        case .needsNoCommit: tell(round.decided)
        case .failed: refuse(round.decided.map(\.resume))
        }
    }

    private func endDecider(_ step: Gate.Pipeline.DeciderStep) -> Bool {
        guard case .end(let refusing, _) = step else { return true }
        refuse(refusing.map(\.resume))
        return false
    }

    // MARK: - The committer's thread

    private func commitUntilStopped() {
        defer { committerEnd.signal() }
        guard let log = committerLog.take() else { return }
        var merged = EncodedBatch.none
        while case .commit(let rounds, _) = gate.nextForCommitter() {
            let decided = rounds.flatMap { $0.decided }
            do {
                try commit(rounds, to: log, &merged)
                // A crash here leaves the events stored, but no caller answered. If the decider recognizes retries, a retry gets the
                // original answer.
                tell(decided)
            } catch {
                // The decider may wait for the index, which waits for these events.
                log.index?.noteFailedCommit()
                fail(error)
                refuse(decided.map(\.resume))
            }
        }
    }

    private func commit(_ rounds: [Gate.Pipeline.Sealed], to log: EventLog, _ merged: inout EncodedBatch) throws(EventLogError) {
        // This code uses no key paths, because in a generic type each use of a key path looks up its types by name.
        let batches = rounds.compactMap { $0.batch.isEmpty ? nil : $0.batch }
        guard let first = batches.first else { return }
        if batches.count == 1 { return try log.commit(first) }
        merged.restart(at: first.first)
        for batch in batches { merged.append(contentsOf: batch) }
        try log.commit(merged)
    }

    // MARK: - Methods of both threads

    /// Sends answers. A single answer is sent on the calling thread. Several answers are handed to the pool that runs resumed tasks,
    /// because each answer wakes a sleeping pool thread. If the committer's thread sent the answers, each pool thread would briefly take
    /// the committer's processor, at a cost of two context switches per answer.
    private func tell(_ decided: [Gate.Pipeline.Decided]) {
        guard decided.count > 1 else { return Self.tell(decided) }
        // Stopping also waits for these answers, so that a process that ends after a stop has answered every caller.
        DispatchQueue.global().async(group: ended) { Self.tell(decided) }
    }

    private static func tell(_ decided: [Gate.Pipeline.Decided]) {
        for one in decided { one.resume(.success(one.answer)) }
    }

    private func refuse(_ resumes: [Gate.Pipeline.Resume]) {
        for resume in resumes { resume(.failure(.stopped)) }
    }

    private func fail(_ error: any Error) {
        // The cause is set before any caller is refused, so that each refused caller can report it.
        cause.withLock { $0 = $0 ?? error }
        guard let refused = gate.fail() else { return }
        onFailure(error)
        refuse(refused)
    }
}

/// The reason why a request was not decided, or why its outcome is unknown.
public enum GroupCommitRefusal: Error, Sendable, Hashable {
    /// The queue is full. Nothing was done, and the caller may retry.
    case queueFull
    /// The writer is stopping, or has failed. If a commit failed, its outcome is unknown, and the next opening of the log reads the outcome
    /// from the disk.
    case stopped
}

/// Decides the waiting requests one after the other, on one thread. Each decision sees the events that the earlier requests have staged.
///
/// A decider is created on the writer's thread with the log's ``Appender``, and stages events through the appender. ``GroupCommit`` does
/// the rest.
public protocol BatchDecider: SendableMetatype {
    /// The request of a caller.
    associatedtype Request: Sendable
    /// The answer to a caller. The answer is sent when all events that were staged before the decision, or by it, are on disk.
    associatedtype Answer: Sendable

    /// Decides one request: stages its events, if any, and returns the answer for the request's sender.
    ///
    /// MUST leave nothing staged when it rejects the request, MUST NOT commit, and MUST NOT reveal anything except by its answer, because
    /// the events that it has read may not be durable yet. May block only as briefly as reading the log does.
    mutating func decide(_ request: Request) -> Answer
}

extension Array {
    /// Removes and returns all elements.
    mutating func taken() -> [Element] {
        defer { self = [] }
        return self
    }

    /// Removes and returns the first elements, at most `count`.
    mutating func takenFirst(_ count: Int) -> [Element] {
        if self.count <= count { return taken() }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }
}

/// Holds a reference until ``take()`` returns it. After that, the loan no longer keeps the object alive.
final class Loan<Object: AnyObject & Sendable>: Sendable {
    private let object: Mutex<Object?>

    init(_ object: Object) { self.object = Mutex(object) }

    func take() -> Object? {
        object.withLock { object in
            defer { object = nil }
            return object
        }
    }
}
