import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Synchronization

/// The one writer: a plain thread that decides everything that waits, in the order of arrival, and makes it durable with one
/// commit.
///
/// Three classes of trouble. *This request's* (a rejection, a record too large): its sender gets it, the batch goes on. *The
/// batch's*: there is none, a batch is only staged in memory until its commit. *Fatal* (the commit threw, so its outcome is
/// unknown): nobody of the batch is told anything but to ask again, the writer stops for good and the process is to exit;
/// start-up reads from the disk what became of it.
final class Writer: Sendable {
    /// The thread takes it and lets it go before it ends, so that whoever has waited for `stop` can open the log again.
    private let log: Mutex<EventLog?>
    private let clock: any Clock
    private let cachedEntitiesMax: Int
    private let queue: WriterQueue
    /// Told once, with the reason, when the writer stopped for good.
    private let onFailStop: @Sendable (String) -> Void
    private let ended = DispatchSemaphore(value: 0)

    init(
        log: EventLog, clock: any Clock, queueLimit: Int, cachedEntitiesMax: Int, onFailStop: @escaping @Sendable (String) -> Void
    ) {
        self.log = Mutex(log)
        self.clock = clock
        self.cachedEntitiesMax = cachedEntitiesMax
        self.onFailStop = onFailStop
        queue = WriterQueue(limit: queueLimit)
    }

    /// Starts the thread. Call once.
    func start() {
        let thread = Thread { [self] in
            run()
            ended.signal()
        }
        thread.name = "writer"
        thread.start()
    }

    /// Refuses new commands, finishes those that wait, and returns when the thread is gone. Blocks.
    func stop() {
        queue.stop()
        ended.wait()
        ended.signal()
    }

    /// How many commands wait now.
    var queueDepth: Int { queue.depth }

    /// Offers a command; `resume` is called exactly once, after the commit that holds its events, or at once with a refusal.
    func offer(_ submission: Submission, resume: @escaping @Sendable (Result<Acceptance, ServiceError>) -> Void) {
        switch queue.offer(Waiter(submission: submission, resume: resume)) {
        case .taken: break
        case .full: resume(.failure(.overloaded))
        case .stopped: resume(.failure(.stopping))
        }
    }

    private func run() {
        guard let log = log.withLock({ $0.take() }) else { return }
        do {
            var batch = try WriterBatch(log: log, clock: clock, cachedEntitiesMax: cachedEntitiesMax)
            while let waiters = queue.take(max: Limits.batchCommandsMax) {
                let outcomes = waiters.map { batch.perform($0.submission) }
                do {
                    try batch.commit()
                    // A crash here: the events stand, nobody was told; each retry with its key gets the original answer.
                } catch {
                    return failStop(error, during: waiters)
                }
                for (waiter, outcome) in zip(waiters, outcomes) { waiter.resume(outcome) }
            }
        } catch {
            failStop(error, during: [])
        }
    }

    /// The outcome of a commit is unknown: says so to the owner, tells nobody else a result, and takes no more work.
    private func failStop(_ error: any Error, during waiters: [Waiter]) {
        onFailStop(String(describing: error))
        queue.stop()
        for waiter in waiters { waiter.resume(.failure(.stopping)) }
        while let late = queue.take(max: .max) {
            for waiter in late { waiter.resume(.failure(.stopping)) }
        }
    }
}
