/// The state machine between the callers, the deciding thread and the committing thread. It has no locks and no threads of its own.
///
/// ```
/// offer ─▶ waiting ─▶ (decider) ─▶ sealed ─▶ (committer) ─▶ durable ─▶ told
/// ```
///
/// While one batch is flushed, the next one is decided, so that deciding and flushing overlap. No timer is involved: all rounds that have
/// been decided and handed over (*sealed*) when a flush begins form its batch.
///
/// Each method returns an action, which its caller performs outside the lock that guards this value.
///
/// Before the decider waits for a flush, it demands that flush. Otherwise there would be a deadlock: the decider would wait for the index,
/// the index for the log, and the committer for more decisions.
struct CommitPipeline<Request: Sendable, Answer: Sendable>: Sendable {
    typealias Resume = @Sendable (Result<Answer, GroupCommitRefusal>) -> Void

    /// A request, and the closure to call with its result.
    struct Waiter: Sendable {
        let request: Request
        let resume: Resume
    }

    /// An answer that is sent only when every event that it may reveal is on disk.
    struct Decided: Sendable {
        let answer: Answer
        let resume: Resume
    }

    /// The events of one round of decisions, and the answers that depend on them.
    struct Sealed: Sendable {
        let batch: EncodedBatch
        let decided: [Decided]
    }

    /// The maximum number of requests whose commit has not begun: requests that wait, that are being decided, or that are decided.
    let queueLimit: Int
    /// The maximum number of requests decided before a flush, which is the maximum number that one commit answers.
    let batchMax: Int

    private var waiting: [Waiter] = []
    /// The number of requests that the decider has taken but not yet handed over to the committer.
    private var decidingCount = 0
    private var sealed: [Sealed] = []
    /// The number of answers in ``sealed``.
    private var sealedCount = 0
    private var isCommitting = false
    /// Whether the decider waits until all rounds that it has handed over are on disk.
    private var isFlushDemanded = false
    private var isStopping = false
    private var hasFailed = false
    private var hasDeciderEnded = false
    /// Whether the decider and the committer sleep. A caller that finds a flag set clears it and wakes that thread, so that each thread is
    /// woken only once.
    private var isDeciderAsleep = false
    private var isCommitterAsleep = false

    init(queueLimit: Int, batchMax: Int) {
        self.queueLimit = queueLimit
        self.batchMax = batchMax
    }

    /// The number of requests whose commit has not begun.
    var depth: Int { waiting.count + decidingCount + sealedCount }

    // MARK: - Methods for callers

    enum Offer: Equatable {
        case taken(wakesDecider: Bool)
        case refused(GroupCommitRefusal)
    }

    /// Adds a request to the queue, unless the queue is full, or the pipeline is stopping or has failed.
    mutating func offer(_ waiter: Waiter) -> Offer {
        if isStopping || hasFailed { return .refused(.stopped) }
        if depth >= queueLimit { return .refused(.queueFull) }
        waiting.append(waiter)
        return .taken(wakesDecider: wakeDecider())
    }

    /// Accepts no more requests; waiting ones are still processed.
    ///
    /// - Returns: whether to wake the decider.
    mutating func stop() -> Bool {
        isStopping = true
        return wakeDecider()
    }

    // MARK: - Methods for the decider

    enum DeciderStep {
        /// Decide the given requests.
        case work([Waiter])
        case sleep
        /// End the decider's thread and refuse the given requests. Wake the committer if `wakesCommitter` is true.
        case end(refusing: [Waiter], wakesCommitter: Bool)
    }

    mutating func nextForDecider() -> DeciderStep {
        if hasFailed || (isStopping && waiting.isEmpty) {
            hasDeciderEnded = true
            return .end(refusing: waiting.taken(), wakesCommitter: wakeCommitter())
        }
        let room = roundSize
        if waiting.isEmpty || room == 0 {
            isDeciderAsleep = true
            return .sleep
        }
        let taken = waiting.takenFirst(room)
        decidingCount += taken.count
        return .work(taken)
    }

    enum Handover: Equatable {
        case taken(wakesCommitter: Bool)
        /// The round has staged nothing, and everything staged before is on disk: send the answers now.
        case needsNoCommit
        /// A commit has failed meanwhile, so the round is not stored.
        case failed
    }

    /// Accepts a finished round of decisions from the decider.
    mutating func handOver(_ round: Sealed) -> Handover {
        decidingCount -= round.decided.count
        if hasFailed { return .failed }
        if round.batch.isEmpty && sealed.isEmpty && !isCommitting { return .needsNoCommit }
        sealed.append(round)
        sealedCount += round.decided.count
        return .taken(wakesCommitter: isWorthAFlush && wakeCommitter())
    }

    /// Whether to flush now. Rounds must have been handed over, and one of these must hold: at least as many requests are decided as wait,
    /// a flush was demanded, or the decider may decide no more before a flush.
    ///
    /// So callers that all wait for their answers form two halves: one half is flushed while the other half is decided. Flushing earlier
    /// causes more flushes, and waiting for all decisions leaves the disk idle.
    private var isWorthAFlush: Bool {
        !sealed.isEmpty && (isFlushDemanded || sealedCount >= waiting.count || sealedCount >= batchMax)
    }

    /// Demands a flush of all rounds that were handed over, however many requests wait. The decider is about to wait for that flush, and
    /// decides nothing until then.
    ///
    /// - Returns: whether to wake the committer.
    mutating func demandFlush() -> Bool {
        guard !sealed.isEmpty else { return false }
        isFlushDemanded = true
        return wakeCommitter()
    }

    /// The number of requests to decide in one round: half of the waiting ones, so that their flush can begin while the other half is
    /// decided. The number has a minimum, because each round has a cost, and a maximum, so that a commit answers at most ``batchMax``
    /// requests.
    private var roundSize: Int {
        min(max(LogLimits.roundRequestsMin, (waiting.count + 1) / 2), max(0, batchMax - sealedCount))
    }

    // MARK: - Methods for the committer

    enum CommitterStep {
        /// Make the given batches durable in one commit, and then send their answers. The decider cannot send them, because it may wait for
        /// the index for any length of time.
        case commit([Sealed], wakesDecider: Bool)
        case sleep
        case end
    }

    /// The committer's next step. Call it after the answers of the previous commit have been sent or handed to another thread.
    mutating func nextForCommitter() -> CommitterStep {
        isCommitting = false
        if !isWorthAFlush {
            if hasDeciderEnded { return .end }
            isCommitterAsleep = true
            return .sleep
        }
        isCommitting = true
        sealedCount = 0
        isFlushDemanded = false
        let rounds = sealed.taken()
        return .commit(rounds, wakesDecider: !waiting.isEmpty && wakeDecider())
    }

    /// Ends the pipeline after a fatal failure, such as a commit whose outcome is unknown.
    ///
    /// - Returns: the requests to refuse: those that were handed over but not yet taken by the committer, and those that still wait. Nil if
    ///   the pipeline had failed before.
    mutating func fail() -> (refusing: [Resume], wakesDecider: Bool)? {
        if hasFailed { return nil }
        hasFailed = true
        isCommitting = false
        let late = sealed.taken().flatMap(\.decided).map(\.resume) + waiting.taken().map(\.resume)
        sealedCount = 0
        return (late, wakeDecider())
    }

    private mutating func wakeDecider() -> Bool {
        defer { isDeciderAsleep = false }
        return isDeciderAsleep
    }

    private mutating func wakeCommitter() -> Bool {
        defer { isCommitterAsleep = false }
        return isCommitterAsleep
    }
}
