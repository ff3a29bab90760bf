internal import Dispatch
internal import Foundation
public import Merkle
internal import Synchronization

/// Signs the log's tree and keeps the last checkpoint beside the log, so that a log that was rolled back is detected.
///
/// A holder of a checkpoint can prove that a log changed its history. So the keeper signs only durable events, only a tree that a proof
/// shows to continue the last one, and publishes nothing before it is stored: after a crash the kept checkpoint covers everything that was
/// published. Commits do not wait for it. While commits happen, a thread signs about once a second; between two of them
/// ``checkpoint(covering:)`` signs at once.
///
/// The kept file detects a log that was restored from an older copy, cut short or rewritten below the checkpoint: the next opening refuses
/// it. It does not detect a folder restored as a whole, log and checkpoint together, nor a rolled back log whose checkpoint file was
/// removed, which is only a warning (``CheckpointOpening/missing``), since older logs have none. A copy of the checkpoint, or of any
/// receipt, in other hands detects both. An older checkpoint in place of the newest is accepted, because the log continues it, and guards
/// only what it covers.
///
/// A crash between a commit and its checkpoint leaves a checkpoint that covers less, which the log continues.
///
/// A checkpoint is stored before it is shown, so that after a crash the stored one covers everything that anybody has seen. A thread signs
/// about once a second; a receipt for a newer event signs at once.
public final class CheckpointKeeper: Sendable {
    private struct State {
        var isClosed = false
        var failure: EventLogError?
    }

    /// The state of the kept checkpoint at opening.
    public let opening: CheckpointOpening
    let log: EventLog
    let intervalSeconds: Double
    /// Wakes the thread: for a commit, or to end it.
    let wake = ThreadSemaphore()
    let ended = DispatchGroup()
    private let maker: CheckpointMaker
    /// One signs at a time, so that each continues the one before.
    private let signing = Mutex(State())
    /// The published checkpoint, which is on disk. It has a lock of its own, so that readers never wait for a flush.
    private let published: Mutex<TrustedCheckpoint>

    /// Checks the kept checkpoint against the log, and signs the log's present tree.
    ///
    /// - Parameters:
    ///   - log: opened for writing, closed after the keeper.
    ///   - path: the file, in a folder that exists. The verifier key is written beside it, with `.vkey` at the end.
    ///   - seed: the secret of the Ed25519 key, ``NoteSigner/seedBytes`` long.
    ///   - accepting: the present time, if the operator accepts a log that does not continue its checkpoint, which is then set aside.
    ///   - acceptance: how an operator of the program asks for `accepting`, such as a command: the error of a refused log ends with it.
    ///   - intervalSeconds: between two checkpoints while commits happen.
    /// - Throws: ``EventLogError/Code-swift.struct/rolledBack``, ``EventLogError/Code-swift.struct/checkpointMismatch``;
    ///   ``EventLogError/Code-swift.struct/storage`` or ``EventLogError/Code-swift.struct/io`` when it cannot be stored or read.
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

    /// The last one signed.
    public var latest: TrustedCheckpoint { published.withLock { $0 } }

    /// Why there is no newer one, when the last try failed. It is tried again.
    public var failure: EventLogError? { signing.withLock { $0.failure } }

    /// A checkpoint that covers an event: the last one, or one of this moment. May block for two flushes.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``; ``EventLogError/Code-swift.struct/closed``; what kept it from being
    ///   stored.
    public func checkpoint(covering position: Position) throws(EventLogError) -> TrustedCheckpoint {
        let last = latest
        if last.checkpoint.size >= position.rawValue { return last }
        let next = try sign()
        guard next.checkpoint.size >= position.rawValue else {
            throw EventLogError(.afterBeyondHead, "asked for a checkpoint of \(position), but the log has \(log.head).", position: position)
        }
        return next
    }

    /// The proof that an event is in the log, under a signed checkpoint that covers it, with the event's record: one file that its holder
    /// can check for ever without the log. May block for two flushes.
    ///
    /// ```swift
    /// let receipt = try keeper.receipt(of: position)
    /// try receipt.verify(receipt.extra ?? [], by: TrustPolicy(keeper.verifierKey))
    /// ```
    ///
    /// - Parameters:
    ///   - position: from 1 through the head.
    ///   - includesRecord: whether the receipt's `extra` carries the record. A receipt without it shows nothing of the event; its holder
    ///     needs the bytes of ``EventSource/recordBytes(at:)`` from elsewhere.
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead`` for a position without an event, what ``checkpoint(covering:)`` and
    ///   ``EventLog/EventLog/inclusionProof(of:in:)`` throw otherwise.
    public func receipt(of position: Position, includesRecord: Bool = true) throws(EventLogError) -> Receipt {
        let covering = try checkpoint(covering: position)
        let proof = try log.inclusionProof(of: position, in: Position(covering.checkpoint.size))
        let record = includesRecord ? try log.recordBytes(at: position) : nil
        do throws(MerkleError) { return try Receipt(proof, checkpoint: covering.note, extra: record) } catch {
            throw EventLogError(tree: error)
        }
    }

    /// As ``close()``, for tasks: waits without blocking a thread.
    ///
    /// - Throws: the error that kept the last checkpoint from being stored; an older one is there then.
    public func shutDown() async throws(EventLogError) {
        let closed: Result<Void, EventLogError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.closed()) }
        }
        try closed.get()
    }

    private func closed() -> Result<Void, EventLogError> { Result { () throws(EventLogError) in try close() } }

    /// Signs the log's present tree, and ends the thread. Nothing is signed afterwards. A second call does nothing.
    ///
    /// - Throws: the error that kept the last checkpoint from being stored; an older one is there then.
    @available(*, noasync)
    public func close() throws(EventLogError) {
        let last = signing.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed ? nil : attempt(&state)
        }
        wake.signal()
        ended.wait()
        _ = try last?.get()
    }

    /// Whether nothing is signed any more.
    var isClosed: Bool { signing.withLock { $0.isClosed } }

    /// Signs what is on disk by now, unless the last one covers it.
    func sign() throws(EventLogError) -> TrustedCheckpoint {
        try signing.withLock { state in
            state.isClosed ? .failure(EventLogError(.closed, "no checkpoint of a closed log.")) : attempt(&state)
        }.get()
    }

    private func attempt(_ state: inout State) -> Result<TrustedCheckpoint, EventLogError> {
        do throws(EventLogError) {
            // Published by the commit when it was durable, never before.
            let next = try maker.next(after: latest, at: log.headSignal.head)
            published.withLock { $0 = next }
            state.failure = nil
            return .success(next)
        } catch {
            state.failure = error
            return .failure(error)
        }
    }
}

extension CheckpointKeeper {
    /// Starts the thread that signs while commits happen. Call at most once; ``close()`` ends it.
    ///
    /// - Parameter onFailure: told on that thread when a checkpoint could not be made, and not again before one could.
    public func start(onFailure: @escaping @Sendable (EventLogError) -> Void = { _ in }) {
        // A weak loan, so that the thread holds no reference to the log once it has ended.
        let (loan, ended) = (Loan(self), ended)
        ended.enter()
        let thread = Thread {
            Self.run(loan, onFailure)
            ended.leave()
        }
        thread.name = "checkpoints"
        thread.start()
    }

    private static func run(_ loan: Loan<CheckpointKeeper>, _ onFailure: (EventLogError) -> Void) {
        guard let keeper = loan.take() else { return }
        var hasFailed = false
        while keeper.waitForCommit() {
            do throws(EventLogError) {
                _ = try keeper.sign()
                hasFailed = false
            } catch {
                if !hasFailed, error.code != .closed { onFailure(error) }
                hasFailed = true
            }
            // Whatever is committed meanwhile shares the next one.
            _ = keeper.wake.wait(seconds: keeper.intervalSeconds)
        }
    }

    /// Sleeps until something is committed that no checkpoint covers.
    ///
    /// - Returns: false when the keeper is closed, or nothing will be committed any more.
    private func waitForCommit() -> Bool {
        let signal = log.headSignal
        if isClosed || signal.isClosed { return false }
        let next = Position(latest.checkpoint.size).next
        // Not in line when there is something already. A wake for nothing does no harm.
        if signal.enqueue(signal.nextNumber(), next, nil, .thread(wake)) { wake.wait() }
        return !isClosed
    }
}
