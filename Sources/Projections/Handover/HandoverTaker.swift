internal import Dispatch
internal import EventLog
internal import Synchronization

/// The server's part of a hand-over: it opens the requested generation, applies the newest events to it, and switches readers to it.
///
/// It works in short steps on the ``ModelRunner``'s thread, so the generation in use keeps following the log. A stop waits for the thread
/// that opens a generation, because it must not outlive the service: up to ``ProjectionLimits/patienceSeconds``. It also replaces a lost or
/// damaged generation by an empty one that is filled from the log.
struct HandoverTaker {
    struct Taken {
        /// Nil if the generation replaces a lost one.
        let request: HandoverRequest?
        let model: WaitingModel
        let follower: any ModelFollower
    }

    private final class Opening: Sendable {
        let result = Mutex<Result<WaitingModel, ReadModelError>?>(nil)
    }

    private enum Stage {
        case watching
        case opening(HandoverRequest, Opening)
        case following(HandoverRequest, WaitingModel, any ModelFollower)
        case refilling(WaitingModel, any ModelFollower)
    }

    /// Seconds in which one step fills a new generation while the one in use does not follow the log.
    private static let refillSeconds = 0.02

    private let exchange: ModelExchange
    private let files: HandoverFiles
    private let threads: DispatchGroup
    private let isStopping: @Sendable () -> Bool
    private var stage = Stage.watching
    private var lastLook = ContinuousClock.now
    private var lastLossLook = ContinuousClock.now
    private var lossLookSeconds = ProjectionLimits.retrySecondsMin
    private var inUse: Generation?
    private var damage: ReadModelError?
    /// The removal, the damage, or the failure to replace the generation; nil while the files are there and whole.
    private(set) var loss: ReadModelError?

    init(_ exchange: ModelExchange, serving generation: Generation, threads: DispatchGroup, isStopping: @escaping @Sendable () -> Bool) {
        (self.exchange, self.threads, self.isStopping) = (exchange, threads, isStopping)
        inUse = exchange.folder.isRemoved(generation) ? nil : generation
        files = HandoverFiles(in: exchange.folder)
        // A server may have ended before it switched. The tool repeats its request if the file is gone.
        files.clearTaken()
    }

    var isBusy: Bool {
        if case .watching = stage { return false }
        return true
    }

    @available(*, noasync)
    mutating func step(served: Position) -> Taken? {
        switch stage {
        case .watching:
            look()
            if case .watching = stage { lookForLoss() }
        case .opening(let request, let opening): opened(request, opening)
        case .following(let request, let model, let follower):
            // If `stage` still referred to the follower, each change would copy the follower's caches.
            stage = .watching
            return follow(request, model, follower, served)
        case .refilling(let model, let follower):
            stage = .watching
            return refill(model, follower, served)
        }
        return nil
    }

    mutating func replace(because damage: ReadModelError) -> Bool {
        guard inUse != nil, exchange.remake != nil else { return false }
        self.damage = damage
        return true
    }

    @available(*, noasync)
    private mutating func lookForLoss() {
        let now = ContinuousClock.now
        let isNew = damage != nil && loss == nil
        guard let inUse, let remake = exchange.remake, isNew || (now - lastLossLook) / .seconds(1) >= lossLookSeconds else { return }
        lastLossLook = now
        guard damage != nil || exchange.folder.isRemoved(inUse) else { return loss = nil }
        do throws(ReadModelError) {
            loss = loss ?? damage ?? ReadModelError(.removed, model: exchange.folder.model, exchange.folder.path(of: inUse))
            let model = try remake(inUse)
            stage = .refilling(model, try model.follower())
        } catch {
            failed(error)
        }
    }

    private mutating func failed(_ error: ReadModelError) {
        loss = error
        lossLookSeconds = min(2 * lossLookSeconds, ProjectionLimits.retrySecondsMax)
    }

    @available(*, noasync)
    private mutating func refill(_ model: WaitingModel, _ follower: consuming any ModelFollower, _ served: Position) -> Taken? {
        let start = ContinuousClock.now
        do throws(ReadModelError) {
            while follower.position < served, (ContinuousClock.now - start) / .seconds(1) < Self.refillSeconds {
                try follower.advance(towards: served)
            }
        } catch {
            failed(error)
            return nil
        }
        guard follower.position >= served else {
            stage = .refilling(model, follower)
            return nil
        }
        (inUse, loss, damage, lossLookSeconds) = (model.generation, nil, nil, ProjectionLimits.retrySecondsMin)
        model.serve()
        return Taken(request: nil, model: model, follower: follower)
    }

    private mutating func look() {
        let now = ContinuousClock.now
        guard (now - lastLook) / .seconds(1) >= ProjectionLimits.idleSeconds / 2 else { return }
        lastLook = now
        if let handover = exchange.own.asked { return consider(HandoverRequest(handover: handover, desk: exchange.own)) }
        guard files.isAsked else { return }
        dropOwnerless()
        if let handover = files.asked { consider(HandoverRequest(handover: handover, desk: files)) }
    }

    private mutating func consider(_ request: HandoverRequest) {
        let generation = request.handover.generation
        if generation == exchange.folder.current {
            answer(request, nil)
        } else if !exchange.reads(generation.schemaVersion) {
            answer(request, "this server's program does not read version \(generation.schemaVersion) of the model")
        } else {
            start(request)
        }
    }

    /// Withdraws the request of a killed process: taking the build lock succeeds only after the process has ended.
    private func dropOwnerless() { _ = try? BuildLock(exchange.folder) }

    private mutating func start(_ request: HandoverRequest) {
        let (opening, open, isStopping) = (Opening(), exchange.open, isStopping)
        AwaitedThread.start("open " + exchange.folder.model, in: threads) {
            let result: Result<WaitingModel, ReadModelError>
            do throws(ReadModelError) { result = .success(try open(request.handover, isStopping)) } catch { result = .failure(error) }
            opening.result.withLock { $0 = result }
        }
        stage = .opening(request, opening)
    }

    @available(*, noasync)
    private mutating func opened(_ request: HandoverRequest, _ opening: Opening) {
        // After a stop, the tool gets no answer, and switches itself once the server has ended.
        guard let result = opening.result.withLock({ $0 }), !isStopping() else { return }
        do throws(ReadModelError) {
            let model = try result.get()
            stage = .following(request, model, try model.follower())
        } catch {
            refuse(request, error)
        }
    }

    @available(*, noasync)
    private mutating func follow(
        _ request: HandoverRequest, _ model: WaitingModel, _ follower: consuming any ModelFollower, _ served: Position
    ) -> Taken? {
        do throws(ReadModelError) {
            if follower.position < served { try follower.advance(towards: served) }
            guard follower.position >= served else {
                stage = .following(request, model, follower)
                return nil
            }
            let generation = request.handover.generation
            try exchange.folder.requireThere(generation)
            dropOwnerless()
            // If the request was withdrawn or replaced, the generation stays for the tool's next attempt.
            guard request.desk.take(request.handover) else { return nil }
            // The commit point: a crash before this call leaves the old generation in use, a crash after it the new one.
            try exchange.folder.switchOver(to: generation)
        } catch {
            refuse(request, error)
            return nil
        }
        (inUse, loss, damage) = (request.handover.generation, nil, nil)
        model.serve()
        return Taken(request: request, model: model, follower: follower)
    }

    private mutating func refuse(_ request: HandoverRequest, _ error: ReadModelError) {
        stage = .watching
        answer(request, "\(error)")
    }

    /// Answers a request, unless it was withdrawn.
    private func answer(_ request: HandoverRequest, _ refusal: String?) {
        guard request.desk.isTaken || request.desk.take(request.handover) else { return }
        try? request.desk.reply(HandoverAnswer(request.handover.generation, refusal: refusal))
    }

    /// Flushes the old generation, or removes it if it is damaged. The request is answered. Blocks.
    static func retire(_ old: WaitingModel, for request: HandoverRequest?, in folder: ModelFolder) {
        if old.isDamaged, let place = old.place {
            // It MUST NOT be marked as complete.
            try? place.folder.remove(place.generation)
        } else {
            // If flushing fails, the old generation is only lost for a restart of the machine.
            try? old.retire()
        }
        guard let request else { return }
        if !request.handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        try? request.desk.reply(HandoverAnswer(request.handover.generation, refusal: nil))
    }
}
