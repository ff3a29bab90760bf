public import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// Keeps one model up to date with the log on a thread of its own. A failed model stops, and readers still see its rows. After a full disk
/// it goes on by itself.
///
/// The position is published after the commit, so that a reader that waits for it finds the rows.
public final class ModelRunner: Sendable {
    public let name: String
    private let log: EventLog
    private let state: Mutex<State>

    private struct State {
        var opened: WaitingModel
        /// Publishes the position that readers see. Closed when the model stops, and replaced when it continues.
        var reached: HeadSignal
        var isStopping = false
        var isStopped = false
        var failure: ReadModelError?
        /// The pause before the next try after a full disk, which doubles, and its end.
        var pauseSeconds = 0.0
        var nextTry = ContinuousClock.now
        var renewalFailure: ReadModelError?
        var loss: ReadModelError?
        var lastLoss: ReadModelError?
        var remade = 0
        var rebuilt = 0
    }

    private let lossAtStart: (error: ReadModelError?, until: Position)

    private let threads = DispatchGroup()

    package init(_ opened: WaitingModel, following log: EventLog) {
        name = opened.name
        self.log = log
        lossAtStart = (opened.replaced, log.head)
        state = Mutex(State(opened: opened, reached: HeadSignal(opened.position)))
        start("model " + name) { [self] in run() }
        if let renewal = opened.exchange?.renewal { start("renew " + name) { [self] in renew(renewal) } }
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) { AwaitedThread.start(name, in: threads, body) }

    private var reached: HeadSignal { state.withLock { $0.reached } }

    public var position: Position { reached.head }

    public var failure: ReadModelError? { state.withLock { $0.failure } }

    /// The model's current status.
    public var status: ModelStatus {
        let state = state.withLock { $0 }
        let (position, head) = (state.reached.head, log.head)
        let lag = head > position ? head.rawValue - position.rawValue : 0
        let refills = position < lossAtStart.until
        return ModelStatus(
            name: name, position: position, lag: lag, failure: state.failure, built: state.opened.reason,
            generation: state.opened.generation.text, renewalFailure: state.renewalFailure,
            loss: state.loss ?? (refills ? lossAtStart.error : nil), lastLoss: state.lastLoss ?? lossAtStart.error,
            remade: state.remade + (lossAtStart.error == nil || refills ? 0 : 1), map: state.opened.map())
    }

    /// Waits until readers see an event's effects. Returns false after the timeout, or if the model stops or the task is cancelled.
    public func reached(_ position: Position, timeoutSeconds: Double = 2) async -> Bool {
        let (reached, hasEnded) = state.withLock { ($0.reached, $0.failure != nil || $0.isStopping || $0.opened.isDamaged) }
        if reached.head >= position { return true }
        if hasEnded { return false }
        return (try? await reached.reached(position, timeoutSeconds: timeoutSeconds)) ?? false
    }

    /// Asks the threads to end after the current batch, and returns at once.
    package func askToStop() { state.withLock { $0.isStopping = true } }

    /// Ends the threads after the current batch, and flushes the model's folder. A second call does nothing.
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
            // A removed folder need not be flushed. The next start builds it again.
            guard opened.isRemoved else { throw error }
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    @available(*, noasync)
    private func run() {
        // A local variable, so that after a switch nothing refers to the old generation and its files are closed.
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
            if follower == nil { follower = resumed() }
            guard let head = waitForMore(than: follower?.position, isBusy: taker?.isBusy ?? false) else { continue }
            advance(&follower, towards: head)
            if taker?.isBusy != true { rest() }
        }
        do throws(ReadModelError) { try follower?.settle() } catch { fail(error) }
    }

    @available(*, noasync)
    private func rest() {
        let seconds = state.withLock { $0.opened.restSeconds }
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
    }

    /// The follower, which is not stored, so that files are closed after a switch. Nil stops the model.
    @available(*, noasync)
    private func begin() -> (any ModelFollower)? {
        do throws(ReadModelError) { return try state.withLock { $0.opened }.follower() } catch {
            failOrRebuild(error)
            return nil
        }
    }

    /// The follower after a full disk, once it could store the batch for which there was no room; nil before the pause ends, and after
    /// another failure. Readers see the failure until then.
    @available(*, noasync)
    private func resumed() -> (any ModelFollower)? {
        let state = state.withLock { $0 }
        guard state.failure?.isRetried == true, !state.opened.isDamaged, state.nextTry <= .now else { return nil }
        do throws(ReadModelError) {
            var follower = try state.opened.follower()
            repeat { try follower.advance(towards: log.head) } while follower.position < state.reached.head && !isStopping
            goOn(at: follower.position)
            return follower
        } catch {
            failOrRebuild(error.isOutOfSpace ? state.failure ?? error : error)
            return nil
        }
    }

    /// Tells readers that the model follows the log again. Its closed signal could wake nobody.
    private func goOn(at position: Position) {
        state.withLock { state in
            (state.failure, state.pauseSeconds, state.reached) = (nil, 0, HeadSignal(max(position, state.reached.head)))
        }
    }

    @available(*, noasync)
    private func giveUpDamaged(_ follower: inout (any ModelFollower)?, _ taker: inout HandoverTaker?) {
        let state = state.withLock { $0 }
        guard let damage = state.opened.health?.damage.error, state.failure?.isRetried ?? true else { return }
        follower = nil
        if state.rebuilt >= ProjectionLimits.rebuildsMax || taker?.replace(because: damage) != true { fail(damage) }
    }

    private func failOrRebuild(_ error: ReadModelError) {
        guard error.code == .damaged, let health = state.withLock({ $0.opened.health }) else { return fail(error) }
        health.damage.noting(error)
    }

    /// Advances the follower, or sets it to nil after a failure. `inout`, because a second reference would copy its caches at each batch.
    @available(*, noasync)
    private func advance(_ follower: inout (any ModelFollower)?, towards head: Position) {
        do throws(ReadModelError) {
            try follower?.advance(towards: head)
            if let position = follower?.position { reached.publish(position) }
        } catch {
            // A refused event leaves the last complete batch to store. After any other failure, the state of the stored rows is unknown.
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
            state.failure = error.retriedByRunner
            state.pauseSeconds = min(max(2 * state.pauseSeconds, ProjectionLimits.retrySecondsMin), ProjectionLimits.retrySecondsMax)
            state.nextTry = .now + .seconds(state.pauseSeconds)
            return state.reached
        }
        reached.close()
    }

    private func use(_ taken: HandoverTaker.Taken) {
        let position = taken.follower.position
        let (old, reached) = state.withLock { state in
            let old = state.opened
            state.opened = taken.model
            if state.failure != nil { state.reached = HeadSignal(position) }
            (state.failure, state.renewalFailure, state.pauseSeconds) = (nil, nil, 0)
            if taken.request == nil { state.remade += 1 }
            if old.isDamaged { state.rebuilt += 1 }
            return (old, state.reached)
        }
        reached.publish(position)
        guard let folder = taken.model.exchange?.folder else { return }
        let request = taken.request
        start("retire " + name) { HandoverTaker.retire(old, for: request, in: folder) }
    }

    @available(*, noasync)
    private func renew(_ renewal: (@escaping @Sendable () -> Bool) throws(ReadModelError) -> Void) {
        do throws(ReadModelError) { try renewal { [self] in isStopping } } catch { state.withLock { $0.renewalFailure = error } }
    }

    @available(*, noasync)
    private func waitForMore(than position: Position?, isBusy: Bool) -> Position? {
        let seconds = isBusy ? ProjectionLimits.hurriedSeconds : ProjectionLimits.idleSeconds
        let start = ContinuousClock.now
        if let position {
            let head = log.headSignal.wait(beyond: position, timeoutSeconds: seconds)
            if head > position { return head }
        }
        // The wait returns at once on a closed log, so this prevents a busy loop.
        let left = seconds - (ContinuousClock.now - start) / .seconds(1)
        if left > 0 { Thread.sleep(forTimeInterval: left) }
        return nil
    }
}

extension ModelRunner {
    /// Searches the generation's files for damaged pages with plain reads; damage makes the runner rebuild. Blocks.
    ///
    /// - Parameter bytesMax: the largest file to search.
    /// - Returns: false if the generation is damaged.
    @discardableResult
    package func search(bytesMax: Int = .max) -> Bool {
        let opened = state.withLock { $0.opened }
        guard let health = opened.health, let (folder, generation) = opened.place, !opened.isDamaged else { return !opened.isDamaged }
        guard !opened.isRemoved, folder.bytes(of: generation) <= bytesMax else { return true }
        do throws(ReadModelError) {
            try health.search()
            if !SearchStop.isWanted { RiskNote(generation, in: folder).end(.serving) }
        } catch { health.damage.noting(error) }
        return !opened.isDamaged
    }

    /// Calls `body`, which reads every page and returns damage that it found, unless the generation is damaged. If that ends the process,
    /// the next start knows it.
    package func audited(_ body: () -> String?) {
        guard search() else { return }
        let opened = state.withLock { $0.opened }
        let note = opened.place.map { RiskNote($0.generation, in: $0.folder) }
        note?.begin(.auditing)
        if let detail = body() { opened.health?.damage.noting(ReadModelError(.damaged, model: name, detail)) }
        note?.end(.auditing)
    }
}

/// The status of a read model, for `/readyz`, metrics and tools.
public struct ModelStatus: Sendable {
    public let name: String
    public let position: Position
    public let lag: UInt64
    public let failure: ReadModelError?
    public let built: BuildReason?
    public let generation: String
    /// The error that keeps readers on a generation of an older version.
    public let renewalFailure: ReadModelError?
    /// The removal of or damage to the files, until the model is complete again.
    public var loss: ReadModelError?
    public var lastLoss: ReadModelError?
    public var remade = 0
    public var map: MapUsage?
}
