internal import Dispatch
internal import Foundation
public import Merkle
internal import Synchronization

/// Signs the log's tree and stores the last checkpoint beside the log, so that a rollback of the log is detected.
///
/// The holder of an earlier checkpoint can prove a changed history. So the keeper signs only durable events, and only a tree that provably
/// continues the last signed one. It stores each checkpoint before publishing it. Commits do not wait for it. A thread signs about once a
/// second while commits happen; ``checkpoint(covering:)`` signs on demand.
///
/// The next opening fails for a log that was restored from an older copy, truncated, or rewritten below the checkpoint. It cannot detect
/// log and checkpoint restored together, and only warns of a removed checkpoint (``CheckpointOpening/missing``); a copy of a checkpoint or
/// receipt elsewhere detects both. After a crash, or with an older checkpoint in its place, the log continues the older one and is
/// accepted.
public final class CheckpointKeeper: Sendable {
    /// The result of checking the stored checkpoint.
    public let opening: CheckpointOpening
    let log: EventLog
    let intervalSeconds: Double
    let wake = ThreadSemaphore()
    let ended = DispatchGroup()
    private let maker: CheckpointMaker
    /// Locked while signing, so that each checkpoint continues the one before.
    private let signing = Mutex(false)
    /// On disk. It has its own lock, so that readers never wait for a flush.
    private let published: Mutex<TrustedCheckpoint>
    /// It has its own lock, because health checks must not block.
    private let failed = Mutex<EventLogError?>(nil)

    /// Checks the stored checkpoint against the log, and signs the log's current tree.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, and must be closed after the keeper.
    ///   - path: the checkpoint's file, in an existing folder. The verifier key is beside it, with the suffix `.vkey`.
    ///   - seed: the secret of the Ed25519 key, ``NoteSigner/seedBytes`` long.
    ///   - accepting: the current time, if the operator accepts a log that does not continue its checkpoint, which is then renamed.
    ///   - acceptance: words for the error that tell the operator how to request `accepting`.
    ///   - intervalSeconds: the time between two checkpoints while commits happen.
    /// - Throws: ``EventLogError`` `.rolledBack`, `.checkpointMismatch`; `.storage` or `.io` if the checkpoint cannot be stored or read.
    public init(
        log: EventLog, path: String, seed: [UInt8], accepting: Timestamp? = nil, acceptance: String? = nil,
        intervalSeconds: Double = LogLimits.checkpointSeconds
    ) throws(EventLogError) {
        (self.log, self.intervalSeconds) = (log, intervalSeconds)
        maker = try CheckpointMaker(log: log, file: CheckpointFile(path: path), seed: seed)
        let (kept, opening) = try maker.open(accepting: accepting, acceptance: acceptance)
        self.opening = opening
        try maker.file.keep(maker.signer.verifierKey)
        published = Mutex(try maker.next(after: kept, at: log.headSignal.head))
    }

    public var verifierKey: VerifierKey { maker.signer.verifierKey }

    /// The last signed checkpoint.
    public var latest: TrustedCheckpoint { published.withLock { $0 } }

    /// The error of the last attempt to sign; nil if it succeeded. The keeper retries. Never waits for a flush.
    public var failure: EventLogError? { failed.withLock { $0 } }

    /// Returns a checkpoint that covers an event: the last one, or a new one. May block for two flushes.
    ///
    /// - Throws: ``EventLogError`` `.afterBeyondHead`, `.closed`; the error that prevented storing the new checkpoint.
    public func checkpoint(covering position: Position) throws(EventLogError) -> TrustedCheckpoint {
        let last = latest
        if last.checkpoint.size >= position.rawValue { return last }
        let next = try sign()
        guard next.checkpoint.size >= position.rawValue else {
            throw EventLogError(.afterBeyondHead, "asked for a checkpoint of \(position), but the log has \(log.head).", position: position)
        }
        return next
    }

    /// Proves that an event is in the log, with its record and a signed checkpoint. The receipt can be verified without the log.
    /// May block for two flushes.
    ///
    /// ```swift
    /// let receipt = try keeper.receipt(of: position)
    /// try receipt.verify(receipt.extra ?? [], by: TrustPolicy(keeper.verifierKey))
    /// ```
    ///
    /// - Parameters:
    ///   - position: from 1 through the head.
    ///   - includesRecord: whether `extra` contains the record. Otherwise the receipt reveals nothing about the event, and its holder needs
    ///     the bytes of ``EventSource/recordBytes(at:)`` to verify it.
    /// - Throws: ``EventLogError`` `.afterBeyondHead` for a position without an event; the errors of ``checkpoint(covering:)`` and
    ///   ``EventLog/EventLog/inclusionProof(of:in:)``.
    public func receipt(of position: Position, includesRecord: Bool = true) throws(EventLogError) -> Receipt {
        let covering = try checkpoint(covering: position)
        let proof = try log.inclusionProof(of: position, in: Position(covering.checkpoint.size))
        let record = includesRecord ? try log.recordBytes(at: position) : nil
        do throws(MerkleError) { return try Receipt(proof, checkpoint: covering.note, extra: record) } catch {
            throw EventLogError(tree: error)
        }
    }

    /// Does the same as ``close()`` without blocking a thread.
    ///
    /// - Throws: the error that prevented storing the last checkpoint; the stored one may be older.
    public func shutDown() async throws(EventLogError) {
        let closed: Result<Void, EventLogError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.closed()) }
        }
        try closed.get()
    }

    private func closed() -> Result<Void, EventLogError> { Result { () throws(EventLogError) in try close() } }

    /// Signs the log's current tree, and ends the thread. Nothing is signed afterwards. A second call does nothing.
    ///
    /// - Throws: the error that prevented storing the last checkpoint; the stored one may be older.
    @available(*, noasync)
    public func close() throws(EventLogError) {
        let last = signing.withLock { isClosed in
            defer { isClosed = true }
            return isClosed ? nil : attempt()
        }
        wake.signal()
        ended.wait()
        _ = try last?.get()
    }

    var isClosed: Bool { signing.withLock { $0 } }

    /// Signs a checkpoint of the events on disk, unless the last one covers them.
    func sign() throws(EventLogError) -> TrustedCheckpoint {
        try signing.withLock { isClosed in
            isClosed ? .failure(EventLogError(.closed, "no checkpoint of a closed log.")) : attempt()
        }.get()
    }

    /// The caller MUST hold the lock of ``signing``.
    private func attempt() -> Result<TrustedCheckpoint, EventLogError> {
        do throws(EventLogError) {
            // The head signal shows only durable commits.
            let next = try maker.next(after: latest, at: log.headSignal.head)
            published.withLock { $0 = next }
            failed.withLock { $0 = nil }
            return .success(next)
        } catch {
            failed.withLock { $0 = error }
            return .failure(error)
        }
    }
}

extension CheckpointKeeper {
    /// Starts the thread that signs while commits happen. Call it at most once; ``close()`` ends the thread.
    ///
    /// - Parameter onFailure: called on that thread for the first of consecutive failures.
    public func start(onFailure: @escaping @Sendable (EventLogError) -> Void = { _ in }) {
        AwaitedThread.start("checkpoints", in: ended) { [self] in run(onFailure) }
    }

    private func run(_ onFailure: (EventLogError) -> Void) {
        var hasFailed = false
        while waitForCommit() {
            do throws(EventLogError) {
                _ = try sign()
                hasFailed = false
            } catch {
                if !hasFailed, error.code != .closed { onFailure(error) }
                hasFailed = true
            }
            // Commits during this interval share the next checkpoint.
            _ = wake.wait(seconds: intervalSeconds)
        }
    }

    /// False if the keeper is closed, or the log accepts no more commits.
    private func waitForCommit() -> Bool {
        let signal = log.headSignal
        if isClosed || signal.isClosed { return false }
        let next = Position(latest.checkpoint.size).next
        // False if an uncovered event is on disk already. A spurious wake-up is harmless.
        if signal.enqueue(signal.nextNumber(), next, nil, .thread(wake)) { wake.wait() }
        return !isClosed
    }
}
