internal import Dispatch
internal import Foundation
internal import Synchronization

/// The one writer of a log: two plain threads, of which one decides waiting requests while the other flushes decided batches.
///
/// Everything sealed while a flush runs shares the next one. An answer is sent when everything that its decision may have seen is on
/// disk, whether or not it staged anything itself: a refusal can reveal an event as well as an acceptance.
///
/// There are three classes of failure. *The request's*: its decider's answer says so, and the batch continues. *The batch's*: there is
/// none, because a batch is in memory until its commit. *Fatal* (a commit threw, so its outcome is unknown; or the index cannot be kept):
/// no caller gets a result, the writer stops for good, and the process must end. The next opening reads the outcome from the disk.
///
/// Generic code here uses no key paths: each use looks its types up by name, which took a tenth of the committer's time.
///
/// Answers are given from the committer's thread before its next commit: the decider may be blocked by the index, and durable answers must
/// not wait for it.
public final class GroupCommit<Decider: BatchDecider>: Sendable {
    public typealias Outcome = Result<Decider.Answer, GroupCommitRefusal>
    typealias Gate = PipelineGate<Decider.Request, Decider.Answer>

    private let gate: Gate
    /// Each thread takes it and lets it go before it says that it has ended, so that the log can be opened again then.
    private let deciderLog, committerLog: Loan<EventLog>
    private let makeDecider: @Sendable (Appender) throws -> Decider
    private let onFailure: @Sendable (any Error) -> Void
    private let ended = DispatchGroup()
    /// Signalled when the last batch is stored, or never will be.
    private let committerEnd = DispatchSemaphore(value: 0)
    private let cause = Mutex<(any Error)?>(nil)

    /// Makes a writer, which ``start()`` starts.
    ///
    /// - Parameters:
    ///   - log: opened for writing, without an appender.
    ///   - queueLimit: requests that may wait; more are refused at once.
    ///   - batchMax: requests that one commit answers at most.
    ///   - onFailure: called once, on one of the writer's threads, with the reason why it stopped for good, before any caller is refused.
    ///   - decider: called once, on the thread that decides.
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

    /// Accepts no more requests, finishes those that wait, and returns when both threads have ended and every caller has an answer. Blocks.
    /// Call it after ``start()``.
    @available(*, noasync)
    public func stop() {
        gate.stop()
        ended.wait()
    }

    /// As ``stop()``, for tasks: waits without blocking a thread.
    public func shutDown() async {
        gate.stop()
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    /// Accepts no more requests and returns at once; those that wait are finished.
    func beginStop() { gate.stop() }

    /// Why the writer stopped for good; nil while it runs, and after an orderly stop.
    public var failure: (any Error)? { cause.withLock { $0 } }

    /// Requests that wait for their commit to begin.
    public var depth: Int { gate.depth }

    /// Offers a request; `resume` is called exactly once, from whatever thread, when the answer is durable, or at once with a
    /// refusal. It MUST NOT block: all others wait meanwhile.
    public func offer(_ request: Decider.Request, resume: @escaping @Sendable (Outcome) -> Void) {
        if let refusal = gate.offer(.init(request: request, resume: resume)) { resume(.failure(refusal)) }
    }

    /// Offers a request and awaits its outcome. Cancelling the task does not take the request back.
    public func submit(_ request: Decider.Request) async throws(GroupCommitRefusal) -> Decider.Answer {
        try await withCheckedContinuation { continuation in offer(request) { continuation.resume(returning: $0) } }.get()
    }

    private func startThread(_ name: String, _ body: @escaping @Sendable (GroupCommit) -> Void) {
        ended.enter()
        let thread = Thread { [self] in
            body(self)
            ended.leave()
        }
        thread.name = name
        thread.start()
    }

    // MARK: - The decider's thread

    private func decideUntilStopped() {
        guard let log = deciderLog.take() else { return }
        do {
            let appender = try log.appender()
            var decider = try makeDecider(appender)
            while try decideRound(with: &decider, appender) {}
            // Released after the last commit, the appender gives the log room for another one, which begins behind all of its events.
            withExtendedLifetime((appender, decider)) { committerEnd.wait() }
        } catch {
            fail(error)
            // Callers that were answered know the truth; the others were refused.
            _ = endDecider(gate.nextForDecider())
        }
    }

    /// Decides the next requests and hands them to the committer.
    ///
    /// - Returns: false if the decider has ended and there are no further rounds.
    private func decideRound(with decider: inout Decider, _ appender: Appender) throws -> Bool {
        let step = gate.nextForDecider()
        guard case .work(let waiters) = step else { return endDecider(step) }
        try appender.forgetStored { gate.demandFlush() }
        let decided = waiters.map { Gate.Pipeline.Decided(answer: decider.decide($0.request), resume: $0.resume) }
        do {
            // A crash from here on, until the commit returns: nothing is stored and no caller was answered.
            hand(over: Gate.Pipeline.Sealed(batch: try appender.seal(), decided: decided))
        } catch {
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
                // A crash here: the events are stored and no caller was answered. A retry gets the original answer.
                tell(decided)
            } catch {
                fail(error)
                refuse(decided.map(\.resume))
            }
        }
    }

    private func commit(_ rounds: [Gate.Pipeline.Sealed], to log: EventLog, _ merged: inout EncodedBatch) throws(EventLogError) {
        // No key paths here: in a generic type each use of one looks its types up by name.
        let batches = rounds.compactMap { $0.batch.isEmpty ? nil : $0.batch }
        guard let first = batches.first else { return }
        if batches.count == 1 { return try log.commit(first) }
        merged.restart(at: first.first)
        for batch in batches { merged.append(contentsOf: batch) }
        try log.commit(merged)
    }

    // MARK: - Both

    /// Tells them, on the committer's thread, before the next commit begins: no answer waits for whatever the decider waits for. Of
    /// several, from a thread of the pool that resumed tasks run on. Resumed from here, each would wake a sleeping thread of the
    /// pool, which takes this one's place on the processor for a moment: two changes of context an answer.
    private func tell(_ decided: [Gate.Pipeline.Decided]) {
        guard decided.count > 1 else { return Self.tell(decided) }
        // The stop waits for these as well, so that a process that ends then has answered every caller.
        DispatchQueue.global().async(group: ended) { Self.tell(decided) }
    }

    private static func tell(_ decided: [Gate.Pipeline.Decided]) {
        for one in decided { one.resume(.success(one.answer)) }
    }

    private func refuse(_ resumes: [Gate.Pipeline.Resume]) {
        for resume in resumes { resume(.failure(.stopped)) }
    }

    private func fail(_ error: any Error) {
        // Before the refusals, so that each of those callers can name the cause.
        cause.withLock { $0 = $0 ?? error }
        guard let refused = gate.fail() else { return }
        onFailure(error)
        refuse(refused)
    }
}

/// Why a request was not decided, or its outcome is not known.
public enum GroupCommitRefusal: Error, Sendable, Hashable {
    /// The queue is full. Nothing was done; try again later.
    case queueFull
    /// The writer is stopping, or a commit failed and its outcome is unknown. The next opening of the log reads it from the disk.
    case stopped
}

/// Decides what waits for the writer: one request after the other, on one thread, each on what the ones before it have staged.
///
/// It is made on the writer's thread with the log's ``Appender``, and stages through it. ``GroupCommit`` does the rest.
public protocol BatchDecider: SendableMetatype {
    /// The request of a caller.
    associatedtype Request: Sendable
    /// The answer to a caller, sent once everything staged by then is on disk.
    associatedtype Answer: Sendable

    /// Decides one request: stages its events, or none, and returns the answer to its sender.
    ///
    /// MUST leave nothing staged when it refuses, MUST NOT commit, and MUST NOT reveal anything by another way: the events that it has read
    /// may not be durable yet. May block only as briefly as reading the log does.
    mutating func decide(_ request: Request) -> Answer
}

extension Array {
    /// Everything; the array is empty then.
    mutating func taken() -> [Element] {
        defer { self = [] }
        return self
    }

    /// The first elements, at most `count`; the array keeps the rest.
    mutating func takenFirst(_ count: Int) -> [Element] {
        if self.count <= count { return taken() }
        defer { removeFirst(count) }
        return Array(prefix(count))
    }
}
