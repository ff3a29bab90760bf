internal import EventLog
internal import Foundation
internal import Synchronization

/// The server's side of a hand-over: it notices the request, opens the generation, brings it up to date and switches.
///
/// It belongs to the runner's thread and does one bounded step at a time, so that the generation in use keeps following the log. A failure
/// is answered as a refusal, and the old generation stays in use.
///
/// It also notices that the files of the generation in use were removed beside this process. The open files still serve and still follow
/// the log. An empty generation is filled from the log meanwhile, and takes their place in the same way.
struct HandoverTaker {
    /// A generation that has caught up and is in use now.
    struct Taken {
        /// Nil for a generation that was made because the files of the one before were removed.
        let handover: Handover?
        let model: WaitingModel
        let follower: any ModelFollower
    }

    /// The result of a thread that opens a generation. Reading a file for its seal takes longer than followers may wait.
    private final class Opening: Sendable {
        let result = Mutex<Result<WaitingModel, ReadModelError>?>(nil)
    }

    private enum Stage {
        case watching
        case opening(Handover, Opening)
        case following(Handover, WaitingModel, any ModelFollower)
        case refilling(WaitingModel, any ModelFollower)
    }

    /// Between two looks for removed files.
    private static let lossLookSeconds = 1.0
    /// Seconds for which one step may fill a new generation while the one in use waits to follow the log.
    private static let refillSeconds = 0.02

    private let exchange: ModelExchange
    private let files: HandoverFiles
    private var stage = Stage.watching
    private var lastLook = ContinuousClock.now
    private var lastLossLook = ContinuousClock.now
    /// The generation in use; nil for a model whose files are nowhere that can be looked at.
    private var inUse: Generation?
    /// Why the files of the generation in use have to be made again, or could not be; nil while they are there.
    private(set) var loss: ReadModelError?

    /// - Parameter generation: the folder in use: `v1-g3`.
    init(_ exchange: ModelExchange, serving generation: String) {
        self.exchange = exchange
        inUse = Generation(text: generation).flatMap { exchange.folder.isRemoved($0) ? nil : $0 }
        files = HandoverFiles(in: exchange.folder)
        // The file is from a server that ended between taking and switching; the tool asks again.
        files.clearTaken()
    }

    /// Whether something is under way, so that the next step should not wait for an event.
    var isBusy: Bool {
        if case .watching = stage { return false }
        return true
    }

    /// Does the next step of a hand-over.
    ///
    /// - Parameters:
    ///   - served: the position that readers see. A generation is put into use only after it has reached that position.
    ///   - serving: closes the old generation.
    /// - Returns: the generation that is in use from now on, or nil if nothing changed.
    @available(*, noasync)
    mutating func step(served: Position) -> Taken? {
        switch stage {
        case .watching:
            look()
            if case .watching = stage { lookForLoss() }
        case .opening(let handover, let opening): opened(handover, opening)
        case .following(let handover, let model, let follower):
            // Not held here while it advances, because a second reference would force a copy of its caches.
            stage = .watching
            return follow(handover, model, follower, served)
        case .refilling(let model, let follower):
            stage = .watching
            return refill(model, follower, served)
        }
        return nil
    }

    /// Begins to make a generation again whose files are gone. What fails is tried again at the next look.
    @available(*, noasync)
    private mutating func lookForLoss() {
        let now = ContinuousClock.now
        guard let inUse, let remake = exchange.remake, (now - lastLossLook) / .seconds(1) >= Self.lossLookSeconds else { return }
        lastLossLook = now
        guard exchange.folder.isRemoved(inUse) else { return loss = nil }
        do throws(ReadModelError) {
            loss = loss ?? ReadModelError(.removed, model: exchange.folder.model, exchange.folder.path(of: inUse))
            let model = try remake(inUse)
            stage = .refilling(model, try model.follower())
        } catch {
            loss = error
        }
    }

    @available(*, noasync)
    private mutating func refill(_ model: WaitingModel, _ follower: consuming any ModelFollower, _ served: Position) -> Taken? {
        let start = ContinuousClock.now
        do throws(ReadModelError) {
            while follower.position < served, (ContinuousClock.now - start) / .seconds(1) < Self.refillSeconds {
                try follower.advance(towards: served)
            }
        } catch {
            loss = error
            return nil
        }
        guard follower.position >= served else {
            stage = .refilling(model, follower)
            return nil
        }
        (inUse, loss) = (Generation(text: model.generation), nil)
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

    /// Withdraws a request whose owner was killed. The owner holds the build lock, so a lock that can be taken proves that it is gone.
    private func dropOwnerless() { _ = try? BuildLock(exchange.folder) }

    private mutating func start(_ handover: Handover) {
        let (opening, open) = (Opening(), exchange.open)
        let thread = Thread {
            let result: Result<WaitingModel, ReadModelError>
            do throws(ReadModelError) { result = .success(try open(handover)) } catch { result = .failure(error) }
            opening.result.withLock { $0 = result }
        }
        thread.name = "open " + exchange.folder.model
        thread.start()
        stage = .opening(handover, opening)
    }

    @available(*, noasync)
    private mutating func opened(_ handover: Handover, _ opening: Opening) {
        guard let result = opening.result.withLock({ $0 }) else { return }
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
            // The request was withdrawn or replaced: the generation stays where it is, for the tool's next attempt.
            guard files.asked == handover, files.take() else { return nil }
            // A crash before this leaves the old generation in use, after it the new one.
            try exchange.folder.switchOver(to: handover.generation)
        } catch {
            refuse(handover, error)
            return nil
        }
        (inUse, loss) = (handover.generation, nil)
        model.serve()
        return Taken(handover: handover, model: model, follower: follower)
    }

    private mutating func refuse(_ handover: Handover, _ error: ReadModelError) {
        stage = .watching
        answer(handover, "\(error)")
    }

    /// An answer that cannot be stored is none: the tool says so when its time is up.
    private func answer(_ handover: Handover, _ refusal: String?) {
        if files.isTaken || files.take() { try? files.reply(HandoverAnswer(handover.generation, refusal: refusal)) }
    }

    /// Flushes the old generation, removes generations that nothing names, and answers. Blocks as long as flushing takes.
    ///
    /// - Parameter handover: nil for a generation whose files are gone.
    static func retire(_ old: WaitingModel, for handover: Handover?, in folder: ModelFolder) {
        // Not closed in order it is not trusted after a restart of the machine, and nothing else.
        try? old.retire()
        guard let handover else { return }
        if !handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        try? HandoverFiles(in: folder).reply(HandoverAnswer(handover.generation, refusal: nil))
    }
}
