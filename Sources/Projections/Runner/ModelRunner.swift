public import EventLog
internal import Foundation
internal import Synchronization

/// Keeps one model at the head of the log, on one plain thread that waits, applies, commits and publishes.
///
/// A model that fails stops alone and stays readable at its position; ``failure`` has the event and the remedy. The position is published
/// after the commit, so a reader that waits for it finds the rows. When a rebuild hands a new generation over (``HandoverTaker``), the same
/// thread brings it up to the position of the old one, switches the readers to it, and follows the log with it. A model that had stopped
/// resumes with the new generation.
public final class ModelRunner: Sendable {
    /// The model's name.
    public let name: String
    private let log: EventLog
    private let state: Mutex<State>

    private struct State {
        /// The generation in use.
        var opened: WaitingModel
        /// The signal of the position that readers see. A model that stops closes its signal, and a model that resumes gets a new one.
        var reached: HeadSignal
        var isStopping = false
        var isStopped = false
        var failure: ReadModelError?
        var renewalFailure: ReadModelError?
        var loss: ReadModelError?
        /// How often its files were made again.
        var remade = 0
    }

    /// The threads hold this object until they end; ``stop()`` waits for that.
    private let threads = DispatchGroup()

    package convenience init<Model: Projection>(
        _ box: ModelBox<Model>, _ opened: OpenModel, following log: EventLog
    ) throws(ReadModelError) {
        self.init(try WaitingModel(box.model, opened, log, box: box), following: log)
    }

    /// Starts following.
    package init(_ opened: WaitingModel, following log: EventLog) {
        name = opened.name
        self.log = log
        state = Mutex(State(opened: opened, reached: HeadSignal(opened.position)))
        start("model " + name) { [self] in run() }
        if let renewal = opened.exchange?.renewal { start("renew " + name) { [self] in renew(renewal) } }
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        threads.enter()
        let thread = Thread { [threads] in
            body()
            threads.leave()
        }
        thread.name = name
        thread.start()
    }

    private var reached: HeadSignal { state.withLock { $0.reached } }

    /// The last event that readers see.
    public var position: Position { reached.head }

    /// The failure that stopped the model; nil while it runs.
    public var failure: ReadModelError? { state.withLock { $0.failure } }

    /// The model's present status.
    public var status: ModelStatus {
        let state = state.withLock { $0 }
        let (position, head) = (state.reached.head, log.head)
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return ModelStatus(
            name: name, position: position, lag: lag, failure: state.failure, built: state.opened.reason,
            generation: state.opened.generation, renewalFailure: state.renewalFailure,
            loss: state.loss, remade: state.remade, map: state.opened.map())
    }

    /// Waits until readers see an event.
    ///
    /// - Returns: whether they do; false after the time, and at once when the model has stopped before it or the task is cancelled.
    public func reached(_ position: Position, timeoutSeconds: Double = 2) async -> Bool {
        let (reached, hasEnded) = state.withLock { ($0.reached, $0.failure != nil || $0.isStopping) }
        if reached.head >= position { return true }
        if hasEnded { return false }
        return (try? await reached.reached(position, timeoutSeconds: timeoutSeconds)) ?? false
    }

    /// Lets the thread end after the batch in progress, without waiting for it.
    package func askToStop() {
        state.withLock { $0.isStopping = true }
    }

    /// Ends the thread after the batch in progress, and flushes the folder; called again it does nothing.
    ///
    /// - Throws: ``ReadModelError/Code/storage`` when the folder could not be flushed.
    package func stop() throws(ReadModelError) {
        askToStop()
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        threads.wait()
        reached.close()
        let opened = state.withLock { $0.opened }
        do throws(ReadModelError) { try opened.close() } catch {
            // A folder that was removed beside this process needs no flush: the next start makes it again.
            guard opened.isRemoved else { throw error }
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    @available(*, noasync)
    private func run() {
        // A block of its own: the old generation's files are to be released when another one is in use.
        var taker = state.withLock { state in state.opened.exchange.map { HandoverTaker($0, serving: state.opened.generation) } }
        var follower = begin()
        while !isStopping {
            if let taken = taker?.step(served: position) {
                follower = taken.follower
                use(taken)
            }
            note(taker?.loss)
            guard let head = waitForMore(than: follower?.position, isBusy: taker?.isBusy ?? false) else { continue }
            advance(&follower, towards: head)
            if taker?.isBusy != true { rest() }
        }
        do throws(ReadModelError) { try follower?.settle() } catch { fail(error) }
    }

    /// Pauses, so that more events share the next batch. Only models behind reports pause.
    @available(*, noasync)
    private func rest() {
        let seconds = state.withLock { $0.opened.restSeconds }
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    }

    /// Nil if the model has stopped. The runner does not hold the instance, so that its files are released when another one is in use.
    @available(*, noasync)
    private func begin() -> (any ModelFollower)? {
        do throws(ReadModelError) { return try state.withLock { $0.opened }.follower() } catch {
            fail(error)
            return nil
        }
    }

    /// Advances the follower to `head` and publishes its position. If that fails, sets the follower to nil.
    ///
    /// `inout`, because a second copy of the follower would force a copy of its caches with each batch.
    @available(*, noasync)
    private func advance(_ follower: inout (any ModelFollower)?, towards head: Position) {
        do throws(ReadModelError) {
            try follower?.advance(towards: head)
            if let position = follower?.position { reached.publish(position) }
        } catch {
            // A restart is to show what is shown now. After any other failure it is not known what is stored.
            if error.code == .eventRefused { try? follower?.settle() }
            fail(error)
            follower = nil
        }
    }

    private func note(_ loss: ReadModelError?) { state.withLock { $0.loss = loss } }

    private func fail(_ error: ReadModelError) {
        let reached = state.withLock { state in
            state.failure = error
            return state.reached
        }
        // Nobody need wait any longer for what will not come.
        reached.close()
    }

    /// Readers use the new generation from here on. Publishes its position and closes the old generation on a thread of its own.
    private func use(_ taken: HandoverTaker.Taken) {
        let position = taken.follower.position
        let (old, reached) = state.withLock { state in
            let old = state.opened
            state.opened = taken.model
            if state.failure != nil { state.reached = HeadSignal(position) }
            (state.failure, state.renewalFailure) = (nil, nil)
            if taken.handover == nil { state.remade += 1 }
            return (old, state.reached)
        }
        reached.publish(position)
        guard let folder = taken.model.exchange?.folder else { return }
        let handover = taken.handover
        start("retire " + name) { HandoverTaker.retire(old, for: handover, in: folder) }
    }

    @available(*, noasync)
    private func renew(_ renewal: (@escaping @Sendable () -> Bool) throws(ReadModelError) -> Void) {
        do throws(ReadModelError) {
            try renewal { [self] in isStopping }
        } catch {
            state.withLock { $0.renewalFailure = error }
        }
    }

    /// The log's head; nil when nothing came for a moment.
    ///
    /// - Parameters:
    ///   - position: nil for a model that has stopped.
    ///   - isBusy: whether there is something else to do, so that the moment must be short.
    @available(*, noasync)
    private func waitForMore(than position: Position?, isBusy: Bool) -> Position? {
        let seconds = isBusy ? ProjectionLimits.hurriedSeconds : ProjectionLimits.idleSeconds
        let start = ContinuousClock.now
        if let position {
            let head = log.headSignal.wait(beyond: position, timeoutSeconds: seconds)
            if head > position { return head }
        }
        // A log that was closed before its models returns from the wait at once. The pause keeps this loop from spinning until it is
        // stopped.
        let left = seconds - (ContinuousClock.now - start) / .seconds(1)
        if left > 0 { Thread.sleep(forTimeInterval: left) }
        return nil
    }
}

/// The status of a read model, for `/readyz`, metrics and tools.
public struct ModelStatus: Sendable {
    /// The model's name.
    public let name: String
    /// The last event that readers see.
    public let position: Position
    /// Events of the log that it has not looked at yet.
    public let lag: UInt64
    /// The reason why it stopped; nil while it runs.
    public let failure: ReadModelError?
    /// The reason why this start built the model from the first event on; nil if it resumed where it had stopped.
    public let built: BuildReason?
    /// The folder's name: `v1-g3`.
    public let generation: String
    /// Why a generation of the program's own schema version could not be built beside the older one that is served; nil where that is
    /// under way, done, or not needed.
    public let renewalFailure: ReadModelError?
    /// Set while the model's files, which something removed beside this process, are made again; nil while they are there.
    public var loss: ReadModelError?
    /// How often since the start its files were removed and made again.
    public var remade = 0
    /// How much of its map is used; nil for a model that LMDB does not keep.
    public var map: MapUsage?
}
