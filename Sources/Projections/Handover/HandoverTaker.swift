internal import EventLog
internal import Foundation
internal import Synchronization

/// The server's side of a hand-over: it notices the request, opens the generation, brings it up to date and switches to it.
///
/// It runs on the runner's thread and does one bounded step at a time, so that the generation in use keeps following the log. A failure is
/// answered as a refusal, and the old generation stays in use.
///
/// It also notices if something outside this process removed the files of the generation in use. The open files can still be read and
/// updated. Meanwhile a new, empty generation is filled from the log, and then replaces the old one in the same way.
struct HandoverTaker {
    /// A generation that has caught up and is in use now.
    struct Taken {
        /// The request; nil for a generation that replaces one whose files were removed.
        let handover: Handover?
        let model: WaitingModel
        let follower: any ModelFollower
    }

    /// The result of opening a generation on a separate thread. Verifying the file's checksum reads the whole file, which takes too long
    /// for the runner's thread.
    private final class Opening: Sendable {
        let result = Mutex<Result<WaitingModel, ReadModelError>?>(nil)
    }

    private enum Stage {
        case watching
        case opening(Handover, Opening)
        case following(Handover, WaitingModel, any ModelFollower)
        case refilling(WaitingModel, any ModelFollower)
    }

    /// Seconds between two checks for removed files.
    private static let lossLookSeconds = 1.0
    /// Seconds for which one step may fill a new generation, while the one in use does not follow the log.
    private static let refillSeconds = 0.02

    private let exchange: ModelExchange
    private let files: HandoverFiles
    private var stage = Stage.watching
    private var lastLook = ContinuousClock.now
    private var lastLossLook = ContinuousClock.now
    /// The generation in use; nil if its files cannot be checked for removal.
    private var inUse: Generation?
    /// The reason why the files of the generation in use must be remade, or could not be remade; nil while they exist.
    private(set) var loss: ReadModelError?

    /// Creates the server's side of a model's hand-overs.
    ///
    /// - Parameter generation: the folder in use, such as `v1-g3`.
    init(_ exchange: ModelExchange, serving generation: String) {
        self.exchange = exchange
        inUse = Generation(text: generation).flatMap { exchange.folder.isRemoved($0) ? nil : $0 }
        files = HandoverFiles(in: exchange.folder)
        // A server that ended between taking the request and switching may have left this file. The tool repeats its request.
        files.clearTaken()
    }

    /// Whether a hand-over is in progress, so that the next step should not wait for an event.
    var isBusy: Bool {
        if case .watching = stage { return false }
        return true
    }

    /// Does the next step of a hand-over.
    ///
    /// - Parameter served: the position that readers see. A generation is put into use only after it has reached that position.
    /// - Returns: the generation that is in use from now on, or nil if nothing changed.
    @available(*, noasync)
    mutating func step(served: Position) -> Taken? {
        switch stage {
        case .watching:
            look()
            if case .watching = stage { lookForLoss() }
        case .opening(let handover, let opening): opened(handover, opening)
        case .following(let handover, let model, let follower):
            // The stage is reset while the follower advances, because a second reference would force a copy of its caches.
            stage = .watching
            return follow(handover, model, follower, served)
        case .refilling(let model, let follower):
            stage = .watching
            return refill(model, follower, served)
        }
        return nil
    }

    /// Begins to remake a generation whose files are gone. After a failure, the next check tries again.
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

    /// Withdraws a request whose owner was killed. The owner holds the build lock, so taking that lock proves that the owner is gone.
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
            // If the request was withdrawn or replaced, the generation is kept for the tool's next attempt.
            guard files.asked == handover, files.take() else { return nil }
            // A crash before this call leaves the old generation in use; a crash after it leaves the new one in use.
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

    /// Writes the answer. If that fails, the tool reports an unanswered request after its time limit.
    private func answer(_ handover: Handover, _ refusal: String?) {
        if files.isTaken || files.take() { try? files.reply(HandoverAnswer(handover.generation, refusal: refusal)) }
    }

    /// Flushes the old generation, removes generations that no pointer names, and answers. Blocks as long as flushing takes.
    ///
    /// - Parameter handover: nil for a generation that replaces one whose files were removed.
    static func retire(_ old: WaitingModel, for handover: Handover?, in folder: ModelFolder) {
        // If this fails, the only effect is that the old generation is not trusted after a restart of the machine.
        try? old.retire()
        guard let handover else { return }
        if !handover.keepsOld { _ = try? folder.forgetPrevious() }
        try? folder.removeStrays()
        try? HandoverFiles(in: folder).reply(HandoverAnswer(handover.generation, refusal: nil))
    }
}
