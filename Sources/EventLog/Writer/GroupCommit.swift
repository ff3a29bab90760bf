internal import Dispatch
internal import Synchronization

/// The only writer of a log. It has two plain threads: one decides waiting requests while the other flushes decided batches.
///
/// An answer is sent when everything that its decision may have seen is on disk, even if it staged nothing: a rejection can reveal an event
/// too.
///
/// A failed request is reported in its answer, and the batch continues. A *fatal* failure (a commit threw, the index cannot be maintained,
/// or the writer cannot begin) stops the writer permanently: no caller gets a result, and the process must end. The next opening reads the
/// outcome.
///
/// Code that runs for every batch uses no key paths: in a generic type, each use looks up its types by name, a tenth of the committer's
/// time. The committer's thread sends the answers, because the index may block the decider's.
public final class GroupCommit<Decider: BatchDecider>: Sendable {
    public typealias Outcome = Result<Decider.Answer, GroupCommitRefusal>
    typealias Gate = PipelineGate<Decider.Request, Decider.Answer>

    private let gate: Gate
    /// One reference per thread, released before it signals its end, so that the log can be reopened.
    private let deciderLog, committerLog: Handoff<EventLog>
    private let durability: any BatchDurability
    private let isShared: Bool
    private let makeDecider: @Sendable (Appender) throws -> Decider
    private let onFailure: @Sendable (any Error) -> Void
    private let ended = DispatchGroup()
    /// Signalled when the last batch is stored, or no longer can be.
    private let committerEnd = DispatchSemaphore(value: 0)
    private let cause = Mutex<(any Error)?>(nil)

    /// Creates a writer, which ``start()`` starts.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, without an appender.
    ///   - queueLimit: the maximum waiting requests; further ones are refused at once.
    ///   - batchMax: the maximum requests that one commit answers.
    ///   - durability: of all batches; nil for that of the log's options.
    ///   - onFailure: called once, on a writer's thread, with the reason for a permanent stop, before waiting callers are refused.
    ///   - decider: called once, on the deciding thread.
    public init(
        log: EventLog, queueLimit: Int = LogLimits.waitingRequestsMax, batchMax: Int = LogLimits.batchRequestsMax,
        durability: (any BatchDurability)? = nil, onFailure: @escaping @Sendable (any Error) -> Void,
        decider: @escaping @Sendable (Appender) throws -> Decider
    ) {
        self.durability = durability ?? log.options.durability
        isShared = self.durability.isShared
        gate = Gate(queueLimit: queueLimit, batchMax: batchMax, confirmsAnswers: isShared)
        deciderLog = Handoff(log)
        committerLog = Handoff(log)
        makeDecider = decider
        self.onFailure = onFailure
    }

    /// Starts the threads. Call once.
    public func start() {
        startThread("decider") { $0.decideUntilStopped() }
        startThread("committer") { $0.commitUntilStopped() }
    }

    /// Accepts no more requests, processes those that wait, and blocks until both threads have ended and every caller has an answer. Call
    /// it after ``start()``.
    ///
    /// A shared log that gives no answer for ``LogLimits/stopSecondsMax`` ends the writer as a failed commit does.
    @available(*, noasync)
    public func stop() {
        beginStop()
        ended.wait()
    }

    /// Does the same as ``stop()`` without blocking a thread.
    public func shutDown() async {
        beginStop()
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    /// Returns at once; waiting requests are still processed.
    package func beginStop() {
        gate.stop()
        durability.giveUp(afterSeconds: LogLimits.stopSecondsMax)
    }

    /// The reason for a permanent stop; nil while the writer runs, and after an orderly stop.
    public var failure: (any Error)? { cause.withLock { $0 } }

    /// The number of requests whose commit has not begun.
    public var depth: Int { gate.depth }

    /// Offers a request. `resume` is called exactly once, on any thread, with a durable answer or a refusal. It MUST NOT block, because all
    /// other requests would wait.
    public func offer(_ request: Decider.Request, resume: @escaping @Sendable (Outcome) -> Void) {
        if let refusal = gate.offer(.init(request: request, resume: resume)) { resume(.failure(refusal)) }
    }

    /// Offers a request and awaits its outcome. Cancelling the task does not withdraw it.
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
            let appender = try log.appender(durability: durability)
            var decider = try makeDecider(appender)
            while try decideRound(with: &decider, appender) {}
            // Released only after the last commit, because the next appender continues after the stored events.
            withExtendedLifetime((appender, decider)) { committerEnd.wait() }
        } catch {
            fail(error)
            // `fail` has refused the waiting callers; this lets the committer end too.
            _ = endDecider(gate.nextForDecider())
        }
    }

    /// Decides the next requests and hands them to the committer; false if the decider has ended.
    private func decideRound(with decider: inout Decider, _ appender: Appender) throws -> Bool {
        let step = gate.nextForDecider()
        guard case .work(let waiters) = step else { return endDecider(step) }
        var rest = waiters[...]
        do {
            // Otherwise each decision would fail for itself, and the writer would continue.
            try appender.log.requireLockFile()
            try appender.forgetStored { gate.demandFlush() }
            while !rest.isEmpty {
                let decided = decide(rest, with: &decider, appender)
                let batch = try appender.seal()
                rest = rest.dropFirst(decided.count)
                // A crash before the commit returns leaves the whole batch or nothing, and no caller answered.
                hand(over: Gate.Pipeline.Sealed(batch: batch, decided: decided))
            }
        } catch {
            // The cause must be known before these callers are refused.
            fail(error)
            refuse(rest.map(\.resume))
            throw error
        }
        return true
    }

    /// Decides requests until none is left or, if the log is shared, until their events fill an entry.
    private func decide(
        _ waiters: ArraySlice<Gate.Pipeline.Waiter>, with decider: inout Decider, _ appender: Appender
    ) -> [Gate.Pipeline.Decided] {
        if !isShared { return waiters.map { Gate.Pipeline.Decided(answer: decider.decide($0.request), resume: $0.resume) } }
        var decided: [Gate.Pipeline.Decided] = []
        for waiter in waiters {
            decided.append(Gate.Pipeline.Decided(answer: decider.decide(waiter.request), resume: waiter.resume))
            if appender.staged.byteCount >= LogLimits.entryBytesMax { break }
        }
        return decided
    }

    private func hand(over round: Gate.Pipeline.Sealed) {
        switch gate.handOver(round) {
        case .taken: break
        case .needsNoCommit: answer(round.decided)
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
            var rest = rounds[...]
            do {
                while !rest.isEmpty {
                    let part = firstEntry(of: rest)
                    let decided = part.flatMap { $0.decided }
                    try commit(part, to: log, &merged)
                    rest = rest.dropFirst(part.count)
                    // A crash here leaves the events stored, but no caller answered. A decider that recognizes retries gives the original
                    // answer.
                    answer(decided)
                }
            } catch {
                // The decider may wait for the index, which waits for these events.
                log.index?.noteFailedCommit()
                fail(error)
                refuse(rest.flatMap { $0.decided }.map(\.resume))
            }
        }
    }

    /// The rounds of the next commit: all or, if the log is shared, those whose events fit into one entry.
    private func firstEntry(of rounds: ArraySlice<Gate.Pipeline.Sealed>) -> ArraySlice<Gate.Pipeline.Sealed> {
        if !isShared { return rounds }
        var bytes = 0
        return rounds.prefix { round in
            defer { bytes += round.batch.byteCount }
            return bytes == 0 || bytes + round.batch.byteCount <= LogLimits.entryBytesMax
        }
    }

    private func commit(_ rounds: ArraySlice<Gate.Pipeline.Sealed>, to log: EventLog, _ merged: inout EncodedBatch) throws(EventLogError) {
        // No key paths; see ``GroupCommit``.
        let batches = rounds.compactMap { $0.batch.isEmpty ? nil : $0.batch }
        guard let first = batches.first else { return try durability.confirm() }
        if batches.count == 1 { return try log.commit(first, by: durability) }
        merged.restart(at: first.first)
        for batch in batches { merged.append(contentsOf: batch) }
        try log.commit(merged, by: durability)
    }

    // MARK: - Methods of both threads

    /// Several answers go to the pool that runs resumed tasks: each wakes a pool thread, which would otherwise take the committer's
    /// processor for two context switches.
    private func answer(_ decided: [Gate.Pipeline.Decided]) {
        guard decided.count > 1 else { return Self.answer(decided) }
        // Stopping waits for these answers too.
        DispatchQueue.global().async(group: ended) { Self.answer(decided) }
    }

    private static func answer(_ decided: [Gate.Pipeline.Decided]) { for one in decided { one.resume(.success(one.answer)) } }

    private func refuse(_ resumes: [Gate.Pipeline.Resume]) { for resume in resumes { resume(.failure(.stopped)) } }

    private func fail(_ error: any Error) {
        // Set before any caller is refused, so that each can report it.
        cause.withLock { $0 = $0 ?? error }
        guard let refused = gate.fail() else { return }
        onFailure(error)
        refuse(refused)
    }
}

/// The reason why a request was not decided, or why its outcome is unknown.
public enum GroupCommitRefusal: Error, Sendable, Hashable {
    /// Nothing was done, and the caller may retry.
    case queueFull
    /// The writer is stopping, or has failed. After a failed commit, the next opening reads the outcome from the disk.
    case stopped
}

/// Decides the waiting requests in turn, on the writer's thread. Each decision sees the events that earlier ones staged through the
/// ``Appender``.
public protocol BatchDecider: SendableMetatype {
    associatedtype Request: Sendable
    /// Sent when all events that were staged before the decision, or by it, are on disk.
    associatedtype Answer: Sendable

    /// Decides one request: stages its events, if any, and returns the answer.
    ///
    /// MUST leave nothing staged when it rejects the request, MUST NOT commit, and MUST NOT reveal anything except by its answer, because
    /// the events that it has read may not be durable yet. May block only as briefly as reading the log does.
    mutating func decide(_ request: Request) -> Answer
}

extension Array {
    mutating func taken() -> [Element] {
        defer { self = [] }
        return self
    }

    mutating func takenFirst(_ count: Int) -> [Element] {
        if self.count <= count { return taken() }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }
}

/// Holds a reference until ``take()`` returns it, and then no longer keeps the object alive.
final class Handoff<Object: AnyObject & Sendable>: Sendable {
    private let object: Mutex<Object?>

    init(_ object: Object) { self.object = Mutex(object) }

    func take() -> Object? {
        object.withLock { object in
            defer { object = nil }
            return object
        }
    }
}
