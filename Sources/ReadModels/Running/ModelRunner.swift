public import EventLog
internal import Foundation
internal import Synchronization

/// Keeps one model at the head of the log: one plain thread that waits, applies, commits and publishes.
///
/// A model that fails stops alone and stays readable where it is: ``failure`` says at which event and what to do. The position is
/// published after the commit, so whoever waits for it finds the rows.
public final class ModelRunner: Sendable {
    /// The model's name.
    public let name: String
    private let log: EventLog
    private let opened: WaitingModel
    /// What readers see.
    private let reached: HeadSignal
    private let state = Mutex(State())

    private struct State {
        var isStopping = false
        var isStopped = false
        var failure: ReadModelError?
    }

    /// The thread holds this object until it ends; ``stop()`` waits for that.
    private let ended = DispatchSemaphore(value: 0)

    convenience init<Model: Projection>(_ model: Model, _ opened: OpenModel, following log: EventLog) throws(ReadModelError) {
        self.init(try WaitingModel(model, opened, log), following: log)
    }

    /// Starts following.
    init(_ opened: WaitingModel, following log: EventLog) {
        name = opened.name
        self.log = log
        self.opened = opened
        reached = HeadSignal(opened.position)
        let thread = Thread { [self] in
            run()
            ended.signal()
        }
        thread.name = "model " + name
        thread.start()
    }

    /// The last event that readers see.
    public var position: Position { reached.head }

    /// Why the model stopped; nil as long as it goes on.
    public var failure: ReadModelError? { state.withLock { $0.failure } }

    /// Where it stands.
    public var status: ModelStatus {
        let position = position
        let head = log.head
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return ModelStatus(
            name: name, position: position, lag: lag, failure: failure, built: opened.reason, generation: opened.generation)
    }

    /// Waits until readers see an event.
    ///
    /// - Returns: whether they do; false after the time, and at once when the model has stopped before it or the task is cancelled.
    public func reached(_ position: Position, timeoutSeconds: Double = 2) async -> Bool {
        if self.position >= position { return true }
        if state.withLock({ $0.failure != nil || $0.isStopping }) { return false }
        return (try? await reached.reached(position, timeoutSeconds: timeoutSeconds)) ?? false
    }

    /// Lets the thread end after the batch in progress, without waiting for it.
    func askToStop() {
        state.withLock { $0.isStopping = true }
    }

    /// Ends the thread after the batch in progress, and flushes the folder; called again it does nothing.
    ///
    /// - Throws: ``ReadModelError/Code/storage`` when the folder could not be flushed.
    func stop() throws(ReadModelError) {
        askToStop()
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        ended.wait()
        reached.close()
        try opened.close()
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    @available(*, noasync)
    private func run() {
        do throws(ReadModelError) {
            var follower = try opened.follower()
            while !isStopping {
                guard let head = waitForMore(than: follower.position) else { continue }
                try follower.advance(towards: head)
                reached.publish(follower.position)
            }
        } catch {
            state.withLock { $0.failure = error }
            // Nobody need wait any longer for what will not come.
            reached.close()
        }
    }

    /// The log's head; nil when nothing came for a moment.
    @available(*, noasync)
    private func waitForMore(than position: Position) -> Position? {
        let start = ContinuousClock.now
        let head = log.headSignal.wait(beyond: position, timeoutSeconds: ReadModelLimits.idleSeconds)
        if head > position { return head }
        // A log that was closed before its models does not wait any longer; they must not spin until somebody stops them.
        let left = ReadModelLimits.idleSeconds - (ContinuousClock.now - start) / .seconds(1)
        if left > 0 { Thread.sleep(forTimeInterval: left) }
        return nil
    }
}
