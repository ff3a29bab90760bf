internal import Dispatch
internal import EventLog
internal import Synchronization

/// The server's part of a hand-over: it notices the tool's request, opens the generation, applies the newest events to it, and switches
/// readers to it.
///
/// It runs on the thread of the ``ModelRunner`` and does one short step at a time, so that the generation in use keeps following the log.
/// If a step fails, the answer to the tool is a refusal, and the old generation stays in use.
///
/// A generation is opened on a thread of its own, for which a stop of the runner waits. Otherwise that thread could still have the
/// generation's folder open when the service has closed. A stop ends the verification of the file, which may take long. It still waits
/// for the opening after that, which takes up to ``ProjectionLimits/patienceSeconds`` if another process uses the generation's files.
///
/// It also notices if something outside this process removed the files of the generation in use. The open files can still be read and
/// updated. Meanwhile a new, empty generation is filled from the log. Then readers are switched to it in the same way. A damaged generation
/// is replaced likewise, except that it is not updated any more.
struct HandoverTaker {
    /// A generation that has the newest events and has just been put into use.
    struct Taken {
        /// The tool's request; nil if the generation replaces one whose files were removed.
        let handover: Handover?
        let model: WaitingModel
        let follower: any ModelFollower
    }

    /// The result of opening a generation on a separate thread. Verifying the file's checksum reads the whole file, which takes too long
    /// for the thread that applies events.
    private final class Opening: Sendable {
        let result = Mutex<Result<WaitingModel, ReadModelError>?>(nil)
    }

    private enum Stage {
        case watching
        case opening(Handover, Opening)
        case following(Handover, WaitingModel, any ModelFollower)
        case refilling(WaitingModel, any ModelFollower)
    }

    /// Seconds between two checks whether the files of the generation in use were removed: the least, and the most after failed attempts to
    /// replace it.
    private static let (lossLookSecondsMin, lossLookSecondsMax) = (1.0, 16.0)
    /// The maximum number of seconds in which one step fills a new generation. During the step, the generation in use does not follow the
    /// log.
    private static let refillSeconds = 0.02

    private let exchange: ModelExchange
    private let files: HandoverFiles
    /// The runner's threads, for which a stop of the runner waits.
    private let threads: DispatchGroup
    private let isStopping: @Sendable () -> Bool
    private var stage = Stage.watching
    private var lastLook = ContinuousClock.now
    private var lastLossLook = ContinuousClock.now
    private var lossLookSeconds = lossLookSecondsMin
    /// The generation in use; nil if its files cannot be checked for removal.
    private var inUse: Generation?
    /// The damage because of which the generation in use is replaced; nil if there is none.
    private var damage: ReadModelError?
    /// The error to report after the files of the generation in use were removed or damaged: either the removal or the damage, or the
    /// failure to replace the generation. It is nil as long as the files are there and whole.
    private(set) var loss: ReadModelError?

    /// Creates the server's part of hand-overs of one model.
    ///
    /// - Parameters:
    ///   - generation: the name of the generation in use, such as `v1-g3`.
    ///   - threads: the group of the runner's threads.
    ///   - isStopping: whether the runner should end. Once it has returned true, it MUST NOT return false again.
    init(
        _ exchange: ModelExchange, serving generation: String, threads: DispatchGroup, isStopping: @escaping @Sendable () -> Bool
    ) {
        (self.exchange, self.threads, self.isStopping) = (exchange, threads, isStopping)
        inUse = Generation(text: generation).flatMap { exchange.folder.isRemoved($0) ? nil : $0 }
        files = HandoverFiles(in: exchange.folder)
        // The file `handover.taken` may be from a server that ended before it switched. The tool repeats its request if the file is gone.
        files.clearTaken()
    }

    /// Whether a new generation is being opened or filled. If so, the next step should follow at once, without waiting for an event.
    var isBusy: Bool {
        if case .watching = stage { return false }
        return true
    }

    /// Does the next step of a hand-over, or of the replacement of a generation whose files were removed.
    ///
    /// - Parameter served: the position of the generation in use. A new generation is put into use only after it has reached that position.
    /// - Returns: the generation that is in use from now on, or nil if nothing changed.
    @available(*, noasync)
    mutating func step(served: Position) -> Taken? {
        switch stage {
        case .watching:
            look()
            if case .watching = stage { lookForLoss() }
        case .opening(let handover, let opening): opened(handover, opening)
        case .following(let handover, let model, let follower):
            // The stage is reset while the follower advances. If `stage` also referred to the follower, each change would copy the
            // follower's caches.
            stage = .watching
            return follow(handover, model, follower, served)
        case .refilling(let model, let follower):
            stage = .watching
            return refill(model, follower, served)
        }
        return nil
    }

    /// Makes the next steps replace the generation in use because of damage, as if its files had been removed.
    ///
    /// - Returns: false if that is not possible.
    mutating func replace(because damage: ReadModelError) -> Bool {
        guard inUse != nil, exchange.remake != nil else { return false }
        self.damage = damage
        return true
    }

    /// If the files of the generation in use were removed or damaged, begins to fill a new generation. If that fails, the next check tries
    /// again.
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

    /// Makes the next attempt wait longer, because each reads the log from its first event.
    private mutating func failed(_ error: ReadModelError) {
        loss = error
        lossLookSeconds = min(2 * lossLookSeconds, Self.lossLookSecondsMax)
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
        (inUse, loss, damage, lossLookSeconds) = (Generation(text: model.generation), nil, nil, Self.lossLookSecondsMin)
        model.serve()
        return Taken(handover: nil, model: model, follower: follower)
    }

    private mutating func look() {
        let now = ContinuousClock.now
        guard (now - lastLook) / .seconds(1) >= ProjectionLimits.idleSeconds / 2 else { return }
        lastLook = now
        guard files.isAsked else { return }
        dropOwnerless()
        guard let handover = files.asked else { return }
        if handover.generation == exchange.folder.current {
            answer(handover, nil)
        } else if !exchange.reads(handover.generation.schemaVersion) {
            answer(handover, "this server's program does not read version \(handover.generation.schemaVersion) of the model")
        } else {
            start(handover)
        }
    }

    /// Withdraws the request if the process that made it was killed. That process has the build lock until its end. So if the lock can be
    /// taken, which also withdraws the request, the process has ended.
    private func dropOwnerless() { _ = try? BuildLock(exchange.folder) }

    private mutating func start(_ handover: Handover) {
        let (opening, open, isStopping) = (Opening(), exchange.open, isStopping)
        AwaitedThread.start("open " + exchange.folder.model, in: threads) {
            let result: Result<WaitingModel, ReadModelError>
            do throws(ReadModelError) { result = .success(try open(handover, isStopping)) } catch { result = .failure(error) }
            opening.result.withLock { $0 = result }
        }
        stage = .opening(handover, opening)
    }

    @available(*, noasync)
    private mutating func opened(_ handover: Handover, _ opening: Opening) {
        // If a stop has ended the verification, the tool gets no answer. It puts the generation into use after the end of the server.
        guard let result = opening.result.withLock({ $0 }), !isStopping() else { return }
        do throws(ReadModelError) {
            let model = try result.get()
            stage = .following(handover, model, try model.follower())
        } catch {
            refuse(handover, error)
        }
    }

    @available(*, noasync)
    private mutating func follow(
        _ handover: Handover, _ model: WaitingModel, _ follower: consuming any ModelFollower, _ served: Position
    ) -> Taken? {
        do throws(ReadModelError) {
            if follower.position < served { try follower.advance(towards: served) }
            guard follower.position >= served else {
                stage = .following(handover, model, follower)
                return nil
            }
            try exchange.folder.requireThere(handover.generation)
            dropOwnerless()
            // If the request was withdrawn or replaced, the generation is not put into use, and stays for the tool's next attempt.
            guard files.asked == handover, files.take() else { return nil }
            // If the server crashes before this call, the old generation is in use. If it crashes after the call, the new generation is in
            // use.
            try exchange.folder.switchOver(to: handover.generation)
        } catch {
            refuse(handover, error)
            return nil
        }
        (inUse, loss, damage) = (handover.generation, nil, nil)
        model.serve()
        return Taken(handover: handover, model: model, follower: follower)
    }

    private mutating func refuse(_ handover: Handover, _ error: ReadModelError) {
        stage = .watching
        answer(handover, "\(error)")
    }

    /// Writes the answer to the tool. If that fails, the request is gone, and the tool asks again or reports that there was no answer.
    private func answer(_ handover: Handover, _ refusal: String?) {
        if files.isTaken || files.take() { try? files.reply(HandoverAnswer(handover.generation, refusal: refusal)) }
    }

    /// Flushes the old generation, or removes it if it is damaged. For a tool's request, it also removes the old generation unless the
    /// request keeps it, removes the generations that no file of the model's folder names, and answers the request. Blocks until all this
    /// is done.
    ///
    /// - Parameter handover: the tool's request; nil if the new generation replaces one whose files were removed.
    static func retire(_ old: WaitingModel, for handover: Handover?, in folder: ModelFolder) {
        if old.isDamaged, let place = old.place {
            // It MUST NOT be marked as complete.
            try? place.folder.remove(place.generation)
        } else {
            // If flushing fails, the only effect is that the old generation cannot be used again after a restart of the machine.
            try? old.retire()
        }
        guard let handover else { return }
        if !handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        try? HandoverFiles(in: folder).reply(HandoverAnswer(handover.generation, refusal: nil))
    }
}
