/// The state machine between callers, the thread that decides and the thread that commits, without locks and threads.
///
/// ```
/// offer ─▶ waiting ─▶ (decider) ─▶ sealed ─▶ (committer) ─▶ durable ─▶ told
/// ```
///
/// While one batch is being flushed the next is decided, so that the disk waits for no decision and no decision for the disk.
/// No timer is involved: everything that is sealed when the flush returns is the next batch.
///
/// Each method returns the action that its caller performs outside of the lock that guards this value.
///
/// A thread that is about to wait for a flush demands it. Otherwise the decider would wait for the index, the index for the log, and the
/// committer for more decisions.
struct CommitPipeline<Request: Sendable, Answer: Sendable>: Sendable {
    typealias Resume = @Sendable (Result<Answer, GroupCommitRefusal>) -> Void

    /// A request, and whom to tell.
    struct Waiter: Sendable {
        let request: Request
        let resume: Resume
    }

    /// An answer that waits until everything it may have seen is on disk.
    struct Decided: Sendable {
        let answer: Answer
        let resume: Resume
    }

    /// The events of one round of decisions, and the answers that depend on them.
    struct Sealed: Sendable {
        let batch: EncodedBatch
        let decided: [Decided]
    }

    /// Requests that may wait or be decided ahead of the flush.
    let queueLimit: Int
    /// Requests that may be decided ahead of the flush: the most that one commit answers.
    let batchMax: Int

    private var waiting: [Waiter] = []
    /// Requests that the decider has taken and not handed over.
    private var decidingCount = 0
    private var sealed: [Sealed] = []
    /// How many answers ``sealed`` holds.
    private var sealedCount = 0
    private var isCommitting = false
    /// Whether the decider waits until everything sealed is on disk.
    private var isFlushDemanded = false
    private var isStopping = false
    private var hasFailed = false
    private var hasDeciderEnded = false
    /// The side that finds its flag set wakes the other thread, once.
    private var isDeciderAsleep = false
    private var isCommitterAsleep = false

    init(queueLimit: Int, batchMax: Int) {
        self.queueLimit = queueLimit
        self.batchMax = batchMax
    }

    /// Requests whose commit has not begun.
    var depth: Int { waiting.count + decidingCount + sealedCount }

    // MARK: - Those who ask

    enum Offer: Equatable {
        case taken(wakesDecider: Bool)
        case refused(GroupCommitRefusal)
    }

    /// Lines a request up, unless there are too many.
    mutating func offer(_ waiter: Waiter) -> Offer {
        if isStopping || hasFailed { return .refused(.stopped) }
        if depth >= queueLimit { return .refused(.queueFull) }
        waiting.append(waiter)
        return .taken(wakesDecider: wakeDecider())
    }

    /// Takes no more requests; those that wait are still worked off.
    ///
    /// - Returns: whether to wake the decider.
    mutating func stop() -> Bool {
        isStopping = true
        return wakeDecider()
    }

    // MARK: - The decider

    enum DeciderStep {
        /// Decide these.
        case work([Waiter])
        case sleep
        /// End the decider's thread and refuse these requests. Wake the committer if `wakesCommitter` is true.
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
        /// Nothing was staged, and everything before is on disk: tell them now.
        case needsNoCommit
        /// A commit has failed meanwhile.
        case failed
    }

    /// Takes over a round of decisions.
    mutating func handOver(_ round: Sealed) -> Handover {
        decidingCount -= round.decided.count
        if hasFailed { return .failed }
        if round.batch.isEmpty && sealed.isEmpty && !isCommitting { return .needsNoCommit }
        sealed.append(round)
        sealedCount += round.decided.count
        return .taken(wakesCommitter: isWorthAFlush && wakeCommitter())
    }

    /// Whether to flush now: at least half of the requests in the pipeline are decided, or the decider may not run further ahead.
    ///
    /// So callers who all wait for their answers form two halves: one is flushed while the other is decided. Flushing earlier makes more
    /// flushes, and waiting for all decisions leaves the disk idle.
    private var isWorthAFlush: Bool {
        !sealed.isEmpty && (isFlushDemanded || sealedCount >= waiting.count || sealedCount >= batchMax)
    }

    /// Flushes what is sealed, however many wait: the decider is about to wait for that, and so no more will be decided.
    ///
    /// - Returns: whether to wake the committer.
    mutating func demandFlush() -> Bool {
        guard !sealed.isEmpty else { return false }
        isFlushDemanded = true
        return wakeCommitter()
    }

    /// How many to decide in one go: half of those who wait, so that their flush can begin while the rest is decided; never so few
    /// that the rounds cost more than they save, nor so many that a commit would answer more than ``batchMax``.
    private var roundSize: Int {
        min(max(LogLimits.roundRequestsMin, (waiting.count + 1) / 2), max(0, batchMax - sealedCount))
    }

    // MARK: - The committer

    enum CommitterStep {
        /// Make these durable, all at once, and tell them then: the decider may be waiting for the index meanwhile, for however long.
        case commit([Sealed], wakesDecider: Bool)
        case sleep
        case end
    }

    /// The answers of everything committed earlier have been sent.
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

    /// The outcome of a commit is not known: everything ends here.
    ///
    /// - Returns: who is to be refused: all whose events were to be stored, or still wait for it; nil when it had failed before.
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
