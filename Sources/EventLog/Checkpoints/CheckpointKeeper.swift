internal import Dispatch
internal import Foundation
public import Merkle
internal import Synchronization

/// Signs the log's tree and stores the last checkpoint beside the log, so that a rollback of the log is detected.
///
/// If a log changes its history, the holder of an earlier checkpoint can prove it. So the keeper signs only durable events, and only a tree
/// that provably continues the last signed one. It stores each checkpoint before publishing it: after a crash the stored one covers
/// everything that was published. Commits do not wait for the keeper. While commits happen, a thread signs about once a second; in between,
/// ``checkpoint(covering:)`` signs on demand.
///
/// The stored file detects a log that was restored from an older copy, truncated, or rewritten below the checkpoint: the next opening
/// fails. It does not detect a folder that was restored as a whole, log and checkpoint together. Nor does it detect a log that was rolled
/// back and whose checkpoint file was removed: that causes only a warning (``CheckpointOpening/missing``), because older logs have no such
/// file. A copy of the checkpoint, or of any receipt, that someone else holds detects both cases. If the newest checkpoint is replaced by
/// an older one, the log continues the older one and is accepted. Only the events that the older checkpoint covers are then protected.
///
/// A crash between a commit and its checkpoint leaves an older checkpoint. The log continues this one, so it is accepted.
public final class CheckpointKeeper: Sendable {
    /// The result of checking the stored checkpoint at opening.
    public let opening: CheckpointOpening
    let log: EventLog
    let intervalSeconds: Double
    /// Wakes the keeper's thread after a commit, or when the thread must end.
    let wake = ThreadSemaphore()
    let ended = DispatchGroup()
    private let maker: CheckpointMaker
    /// Whether the keeper has stopped signing. The lock is held while signing, so that each checkpoint continues the one before.
    private let signing = Mutex(false)
    /// The published checkpoint, which is on disk. It has a lock of its own, so that readers never wait for a flush.
    private let published: Mutex<TrustedCheckpoint>
    /// The error of the last attempt to sign. It has a lock of its own for the same reason as ``published``: health checks read it on
    /// threads that must not block.
    private let failed = Mutex<EventLogError?>(nil)

    /// Checks the stored checkpoint against the log, and signs the log's current tree.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, and must be closed after the keeper.
    ///   - path: the checkpoint's file, in a folder that exists. The verifier key is written beside it, with the suffix `.vkey`.
    ///   - seed: the secret of the Ed25519 key, ``NoteSigner/seedBytes`` long.
    ///   - accepting: the current time, if the operator accepts a log that does not continue its checkpoint. The checkpoint is then
    ///     renamed.
    ///   - acceptance: words that tell the operator how to request `accepting`, such as a command line. They are appended to the error for
    ///     a rejected log.
    ///   - intervalSeconds: the time between two checkpoints while commits happen.
    /// - Throws: ``EventLogError/Code-swift.struct/rolledBack``, ``EventLogError/Code-swift.struct/checkpointMismatch``;
    ///   ``EventLogError/Code-swift.struct/storage`` or ``EventLogError/Code-swift.struct/io`` if the checkpoint cannot be stored or read.
    public init(
        log: EventLog, path: String, seed: [UInt8], accepting: Timestamp? = nil, acceptance: String? = nil,
        intervalSeconds: Double = LogLimits.checkpointSeconds
    ) throws(EventLogError) {
        self.log = log
        self.intervalSeconds = intervalSeconds
        maker = try CheckpointMaker(log: log, file: CheckpointFile(path: path), seed: seed)
        let (kept, opening) = try maker.open(accepting: accepting, acceptance: acceptance)
        self.opening = opening
        try maker.file.keep(maker.signer.verifierKey)
        published = Mutex(try maker.next(after: kept, at: log.headSignal.head))
    }

    /// The public key for verifying the checkpoints.
    public var verifierKey: VerifierKey { maker.signer.verifierKey }

    /// The last signed checkpoint.
    public var latest: TrustedCheckpoint { published.withLock { $0 } }

    /// The error of the last attempt to sign; nil if that attempt succeeded. The keeper retries. Never waits for a flush.
    public var failure: EventLogError? { failed.withLock { $0 } }

    /// Returns a checkpoint that covers an event: the last one, or a new one. May block for two flushes.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``; ``EventLogError/Code-swift.struct/closed``; the error that prevented
    ///   storing the new checkpoint.
    public func checkpoint(covering position: Position) throws(EventLogError) -> TrustedCheckpoint {
        let last = latest
        if last.checkpoint.size >= position.rawValue { return last }
        let next = try sign()
        guard next.checkpoint.size >= position.rawValue else {
            throw EventLogError(.afterBeyondHead, "asked for a checkpoint of \(position), but the log has \(log.head).", position: position)
        }
        return next
    }

    /// Proves that an event is in the log, with the event's record and a signed checkpoint that covers the event. The holder of the receipt
    /// can verify this one file forever without the log. May block for two flushes.
    ///
    /// ```swift
    /// let receipt = try keeper.receipt(of: position)
    /// try receipt.verify(receipt.extra ?? [], by: TrustPolicy(keeper.verifierKey))
    /// ```
    ///
    /// - Parameters:
    ///   - position: from 1 through the head.
    ///   - includesRecord: whether the receipt's `extra` contains the record. A receipt without it reveals nothing about the event. To
    ///     verify such a receipt, its holder needs the bytes of ``EventSource/recordBytes(at:)`` from elsewhere.
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead`` for a position without an event; otherwise the errors of
    ///   ``checkpoint(covering:)`` and ``EventLog/EventLog/inclusionProof(of:in:)``.
    public func receipt(of position: Position, includesRecord: Bool = true) throws(EventLogError) -> Receipt {
        let covering = try checkpoint(covering: position)
        let proof = try log.inclusionProof(of: position, in: Position(covering.checkpoint.size))
        let record = includesRecord ? try log.recordBytes(at: position) : nil
        do throws(MerkleError) { return try Receipt(proof, checkpoint: covering.note, extra: record) } catch {
            throw EventLogError(tree: error)
        }
    }

    /// Like ``close()``, but for tasks: waits without blocking a thread.
    ///
    /// - Throws: the error that prevented storing the last checkpoint. The stored checkpoint may then be an older one.
    public func shutDown() async throws(EventLogError) {
        let closed: Result<Void, EventLogError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.closed()) }
        }
        try closed.get()
    }

    private func closed() -> Result<Void, EventLogError> { Result { () throws(EventLogError) in try close() } }

    /// Signs the log's current tree, and ends the thread. No checkpoint is signed afterwards. A second call does nothing.
    ///
    /// - Throws: the error that prevented storing the last checkpoint. The stored checkpoint may then be an older one.
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

    /// Whether the keeper has stopped signing.
    var isClosed: Bool { signing.withLock { $0 } }

    /// Signs a checkpoint of the events that are on disk now. Does nothing if the last checkpoint already covers them.
    func sign() throws(EventLogError) -> TrustedCheckpoint {
        try signing.withLock { isClosed in
            isClosed ? .failure(EventLogError(.closed, "no checkpoint of a closed log.")) : attempt()
        }.get()
    }

    /// Signs and publishes the next checkpoint. The caller MUST hold the lock of ``signing``.
    private func attempt() -> Result<TrustedCheckpoint, EventLogError> {
        do throws(EventLogError) {
            // The head signal shows only durable commits, so only events that are on disk are signed.
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
    /// - Parameter onFailure: called on that thread when a checkpoint could not be made. Of consecutive failures only the first is
    ///   reported.
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

    /// Waits for a commit that no checkpoint covers.
    ///
    /// - Returns: false if the keeper is closed, or the log accepts no more commits.
    private func waitForCommit() -> Bool {
        let signal = log.headSignal
        if isClosed || signal.isClosed { return false }
        let next = Position(latest.checkpoint.size).next
        // If an event that no checkpoint covers is on disk already, `enqueue` returns false. A spurious wake-up is harmless.
        if signal.enqueue(signal.nextNumber(), next, nil, .thread(wake)) { wake.wait() }
        return !isClosed
    }
}
