public import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// Keeps one model up to date with the log, on a thread that waits for events, applies them, commits them and publishes the position.
///
/// If a model fails, it stops, and the other models continue. Readers still see its rows as of its last position, and ``failure`` names the
/// event and the remedy. The position is published after the commit, so that a reader that waits for the position finds the rows.
///
/// When a rebuild hands over a new generation (``HandoverTaker``), the same thread applies events to it up to the old generation's
/// position, switches the readers to it, and then keeps it up to date. A model that had stopped also continues with the new generation.
public final class ModelRunner: Sendable {
    /// The model's name.
    public let name: String
    private let log: EventLog
    private let state: Mutex<State>

    private struct State {
        /// The generation in use.
        var opened: WaitingModel
        /// The signal that publishes the position that readers see. It is closed when the model stops. When a model that has failed
        /// continues with a new generation, the runner creates a new signal.
        var reached: HeadSignal
        var isStopping = false
        var isStopped = false
        var failure: ReadModelError?
        var renewalFailure: ReadModelError?
        var loss: ReadModelError?
        /// The last value of ``loss`` that was an error.
        var lastLoss: ReadModelError?
        /// The number of times the model's files were removed or damaged and created again.
        var remade = 0
        /// The number of these times at which the files were damaged.
        var rebuilt = 0
    }

    /// The damage that the opening found and replaced, and the log's head at that time: the loss lasts until the model has reached it.
    private let lossAtStart: (error: ReadModelError?, until: Position)

    /// The group of this runner's threads, for which ``stop()`` waits.
    private let threads = DispatchGroup()

    /// Creates a runner, which begins to follow the log at once.
    package init(_ opened: WaitingModel, following log: EventLog) {
        name = opened.name
        self.log = log
        lossAtStart = (opened.replaced, log.head)
        state = Mutex(State(opened: opened, reached: HeadSignal(opened.position)))
        start("model " + name) { [self] in run() }
        if let renewal = opened.exchange?.renewal { start("renew " + name) { [self] in renew(renewal) } }
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        AwaitedThread.start(name, in: threads, body)
    }

    private var reached: HeadSignal { state.withLock { $0.reached } }

    /// The position of the last event whose effects readers see.
    public var position: Position { reached.head }

    /// The failure that stopped the model; nil while it runs.
    public var failure: ReadModelError? { state.withLock { $0.failure } }

    /// The model's current status.
    public var status: ModelStatus {
        let state = state.withLock { $0 }
        let (position, head) = (state.reached.head, log.head)
        let lag = head > position ? head.rawValue - position.rawValue : 0
        let refills = position < lossAtStart.until
        return ModelStatus(
            name: name, position: position, lag: lag, failure: state.failure, built: state.opened.reason,
            generation: state.opened.generation, renewalFailure: state.renewalFailure,
            loss: state.loss ?? (refills ? lossAtStart.error : nil), lastLoss: state.lastLoss ?? lossAtStart.error,
            remade: state.remade + (lossAtStart.error == nil || refills ? 0 : 1), map: state.opened.map())
    }

    /// Waits until readers see the effects of the event at a position.
    ///
    /// - Returns: true when readers see them; false after the timeout, or at once if the model has stopped or is stopping before that
    ///   position, or if the task is cancelled.
    public func reached(_ position: Position, timeoutSeconds: Double = 2) async -> Bool {
        let (reached, hasEnded) = state.withLock { ($0.reached, $0.failure != nil || $0.isStopping || $0.opened.isDamaged) }
        if reached.head >= position { return true }
        if hasEnded { return false }
        return (try? await reached.reached(position, timeoutSeconds: timeoutSeconds)) ?? false
    }

    /// Asks the runner's threads to end, and returns at once. The thread that applies events first completes its current batch.
    package func askToStop() {
        state.withLock { $0.isStopping = true }
    }

    /// Ends the runner's threads after the current batch, and flushes the model's folder. A second call does nothing.
    ///
    /// - Throws: ``ReadModelError/Code/storage`` if the folder could not be flushed.
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
        // A damaged generation MUST NOT be marked as complete.
        if opened.isDamaged, let (folder, generation) = opened.place { return try folder.remove(generation) }
        do throws(ReadModelError) { try opened.close() } catch {
            // A folder that something outside this process removed cannot be flushed and need not be, because the next start builds it
            // again.
            guard opened.isRemoved else { throw error }
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    @available(*, noasync)
    private func run() {
        // The taker is a variable of this function and not of this object. So after a switch, nothing refers to the old generation, and its
        // files are closed.
        let (exchange, generation) = state.withLock { ($0.opened.exchange, $0.opened.generation) }
        var taker = exchange.map { HandoverTaker($0, serving: generation, threads: threads) { [self] in isStopping } }
        var follower = begin()
        while !isStopping {
            if let taken = taker?.step(served: position) {
                follower = taken.follower
                use(taken)
            }
            note(taker?.loss)
            giveUpDamaged(&follower, &taker)
            guard let head = waitForMore(than: follower?.position, isBusy: taker?.isBusy ?? false) else { continue }
            advance(&follower, towards: head)
            if taker?.isBusy != true { rest() }
        }
        do throws(ReadModelError) { try follower?.settle() } catch { fail(error) }
    }

    /// Pauses, so that more events share the next batch. Only models whose readers can wait have such a pause; see
    /// ``Projection/restSeconds``.
    @available(*, noasync)
    private func rest() {
        let seconds = state.withLock { $0.opened.restSeconds }
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    }

    /// Creates the follower; nil if that fails, which stops the model. The runner stores no reference to the follower, so that the
    /// generation's files are closed after a switch.
    @available(*, noasync)
    private func begin() -> (any ModelFollower)? {
        do throws(ReadModelError) { return try state.withLock { $0.opened }.follower() } catch {
            failOrRebuild(error)
            return nil
        }
    }

    /// Stops to apply events to a damaged generation, because its pages could end the process, and makes the taker replace it. Readers see
    /// its rows until then.
    @available(*, noasync)
    private func giveUpDamaged(_ follower: inout (any ModelFollower)?, _ taker: inout HandoverTaker?) {
        let state = state.withLock { $0 }
        guard let damage = state.opened.health?.damage.error, state.failure == nil else { return }
        follower = nil
        if state.rebuilt >= ProjectionLimits.rebuildsMax || taker?.replace(because: damage) != true { fail(damage) }
    }

    /// Makes the next step of the thread rebuild the model, if the error reports damage. After any other error, the model stops.
    private func failOrRebuild(_ error: ReadModelError) {
        guard error.code == .damaged, let health = state.withLock({ $0.opened.health }) else { return fail(error) }
        health.damage.noting(error)
    }

    /// Advances the follower to `head` and publishes its position. If that fails, sets the follower to nil.
    ///
    /// The parameter is `inout`, because with a second reference to the follower, its caches would be copied at each batch.
    @available(*, noasync)
    private func advance(_ follower: inout (any ModelFollower)?, towards head: Position) {
        do throws(ReadModelError) {
            try follower?.advance(towards: head)
            if let position = follower?.position { reached.publish(position) }
        } catch {
            // If the model refused an event, the position of the last complete batch is stored, so that a restart shows the same state.
            // After any other failure nothing is stored, because the state of the stored rows is unknown.
            if error.code == .eventRefused { try? follower?.settle() }
            failOrRebuild(error)
            follower = nil
        }
    }

    private func note(_ loss: ReadModelError?) {
        state.withLock { state in
            state.loss = loss
            state.lastLoss = loss ?? state.lastLoss
        }
    }

    private func fail(_ error: ReadModelError) {
        let reached = state.withLock { state in
            state.failure = error
            return state.reached
        }
        // Ends all waits, because no further position will be reached.
        reached.close()
    }

    /// Continues with a new generation, to which readers were switched, and publishes its position. Another thread flushes the old
    /// generation.
    private func use(_ taken: HandoverTaker.Taken) {
        let position = taken.follower.position
        let (old, reached) = state.withLock { state in
            let old = state.opened
            state.opened = taken.model
            if state.failure != nil { state.reached = HeadSignal(position) }
            (state.failure, state.renewalFailure) = (nil, nil)
            if taken.handover == nil { state.remade += 1 }
            if old.isDamaged { state.rebuilt += 1 }
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

    /// Waits until the log's head is after a position. Returns the head, or nil after a short time.
    ///
    /// - Parameters:
    ///   - position: the model's position; nil if the model has stopped.
    ///   - isBusy: whether a hand-over to a new generation is in progress, so that the wait must be very short.
    @available(*, noasync)
    private func waitForMore(than position: Position?, isBusy: Bool) -> Position? {
        let seconds = isBusy ? ProjectionLimits.hurriedSeconds : ProjectionLimits.idleSeconds
        let start = ContinuousClock.now
        if let position {
            let head = log.headSignal.wait(beyond: position, timeoutSeconds: seconds)
            if head > position { return head }
        }
        // If the log was closed before its models, the wait returns at once. In that case, this pause prevents a busy loop.
        let left = seconds - (ContinuousClock.now - start) / .seconds(1)
        if left > 0 { Thread.sleep(forTimeInterval: left) }
        return nil
    }
}

extension ModelRunner {
    /// Searches the files of the generation in use for damaged pages, with plain reads. Damage makes the runner rebuild the model. Blocks.
    ///
    /// - Parameter bytesMax: the maximum size of a file to search.
    /// - Returns: false if the generation is damaged.
    @discardableResult
    package func search(bytesMax: Int = .max) -> Bool {
        let opened = state.withLock { $0.opened }
        guard let health = opened.health, let (folder, generation) = opened.place, !opened.isDamaged else { return !opened.isDamaged }
        // The loss of a file is noticed elsewhere.
        guard !opened.isRemoved, folder.bytes(of: generation) <= bytesMax else { return true }
        do throws(ReadModelError) {
            try health.search()
            if !SearchStop.isWanted { RiskNote(generation, in: folder).end(.serving) }
        } catch { health.damage.noting(error) }
        return !opened.isDamaged
    }

    /// Calls `body`, which follows every page of the generation in use, unless the generation is damaged. If a page ends the process all
    /// the same, the next start knows it.
    ///
    /// - Parameter body: returns the details of damage that it has found, because of which the generation is rebuilt.
    package func audited(_ body: () -> String?) {
        guard search() else { return }
        let opened = state.withLock { $0.opened }
        let note = opened.place.map { RiskNote($0.generation, in: $0.folder) }
        note?.begin(.auditing)
        // A generation that was replaced meanwhile is not condemned, nor is the one that has replaced it.
        if let detail = body() { opened.health?.damage.noting(ReadModelError(.damaged, model: name, detail)) }
        note?.end(.auditing)
    }
}

/// The status of a read model, for `/readyz`, metrics and tools.
public struct ModelStatus: Sendable {
    /// The model's name.
    public let name: String
    /// The position of the last event whose effects readers see.
    public let position: Position
    /// The number of events in the log that the model has not read yet.
    public let lag: UInt64
    /// The reason why the model stopped; nil while it runs.
    public let failure: ReadModelError?
    /// The reason why the server filled the generation in use from the log's first event on; nil if the server continued it from a stored
    /// position.
    public let built: BuildReason?
    /// The name of the folder of the generation in use, such as `v1-g3`.
    public let generation: String
    /// The error that prevented a build of a generation of the program's own schema version, so that readers still see a generation of an
    /// older version. Nil if the new generation is being built, was built, or is not needed.
    public let renewalFailure: ReadModelError?
    /// The error that reports that the model's files were removed or damaged, until the model is complete again; nil if all is well.
    public var loss: ReadModelError?
    /// The last such error since the start; nil if there was none.
    public var lastLoss: ReadModelError?
    /// The number of times since the start that the model's files were removed or damaged and created again.
    public var remade = 0
    /// The usage of the model's memory map; nil for a model that is not in LMDB.
    public var map: MapUsage?
}
