import Dispatch
package import EventLog
import Foundation
package import Loyalty
package import Projections
package import ReadModels
import Synchronization

/// Triggers events whose time has come: reads the earliest entries of `Deadlines` and offers a command for each entry to the writer's
/// queue.
///
/// The scheduler itself decides nothing. The writer decides each command by the log and its own clock, and records the event with its due
/// time. If the event is already in the log, the command adds none. So after a crash or a restart, if the model is behind the log, or if a
/// clock was set, some commands may have no effect, but each event is recorded once.
///
/// It polls the model once a second for entries that are due by the service's clock. A timer for the earliest entry would have to be
/// renewed whenever the clock is set, and a poll that finds nothing costs only a few microseconds.
///
/// At most ``Limits/dueCommandsAtOnce`` commands wait in the queue at a time. The next commands are offered when the waiting ones are
/// durable and the scheduler has paused for ``Limits/dueRestFactor`` times the time that they took. So however many entries are due in one
/// night, a stamp waits for a limited number of decisions, most of the writer's time is left to others, and only one page of entries is in
/// memory.
package final class Scheduler: Sendable {
    /// The function that passes a command to the writer: `GroupCommit.offer`.
    package typealias Offer = @Sendable (Submission, @escaping @Sendable (GroupCommit<CommandDecider>.Outcome) -> Void) -> Void

    private let models: ReadModels
    private let clock: any Clock
    private let newNotice: @Sendable () -> NoticeID
    private let offer: Offer
    /// The lock that is held during a pass, so that only one pass runs at a time.
    private let passing = Mutex(())
    private let isStopped = Atomic(false)
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// Creates a scheduler. ``start(periodSeconds:)`` starts its thread.
    ///
    /// - Parameter newNotice: makes the ids of notices.
    package init(_ models: ReadModels, clock: any Clock, newNotice: @escaping @Sendable () -> NoticeID, offer: @escaping Offer) {
        (self.models, self.clock, self.newNotice, self.offer) = (models, clock, newNotice, offer)
    }

    /// Starts the thread. Call at most once.
    ///
    /// - Parameter periodSeconds: seconds between two passes.
    package func start(periodSeconds: Double) {
        AwaitedThread.start("scheduler", in: ended) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                // If a model cannot be read, its own status reports that; the next pass retries.
                _ = try? pass()
                _ = wake.wait(timeout: .now() + periodSeconds)
            }
        }
    }

    /// Stops the thread. Blocks until the writer has answered the commands that were already offered, and the thread has ended. Call this
    /// before the writer stops.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    /// Offers a command for everything that is due now according to the model. Blocks.
    ///
    /// - Returns: the number of recorded events.
    /// - Throws: errors of reading the model.
    @discardableResult
    package func pass() throws(ReadModelError) -> Int {
        try passing.withLock { (_) throws(ReadModelError) in
            let now = clock.now()
            var (last, recorded): (DueEntry?, Int) = (nil, 0)
            while !isStopped.load(ordering: .acquiring) {
                let page = try models.deadlines.due(through: now, after: last, limit: Limits.dueCommandsAtOnce)
                let began = ContinuousClock.now
                guard !page.isEmpty, let events = offerAll(page) else { break }
                recorded += events
                last = page.last
                if page.count == Limits.dueCommandsAtOnce { Self.rest(after: .now - began) }
            }
            return recorded
        }
    }

    /// Offers the commands of a page of entries, and waits until the writer has answered all of them.
    ///
    /// - Returns: the number of recorded events; nil if the writer accepts no commands for now.
    private func offerAll(_ page: [DueEntry]) -> Int? {
        let answers = DispatchGroup()
        let answered = Answers()
        for entry in page {
            answers.enter()
            offer(Submission(command: entry.command(newNotice()), caller: .system, at: nil)) { outcome in
                answered.add(outcome)
                answers.leave()
            }
        }
        answers.wait()
        return answered.recorded
    }

    /// Pauses between two pages in proportion to the time that the last page took. A slow disk therefore makes the scheduler slower, not
    /// the stamps.
    private static func rest(after duration: Duration) {
        Thread.sleep(forTimeInterval: min(duration / .seconds(1) * Limits.dueRestFactor, Limits.dueRestSecondsMax))
    }

    /// The outcomes of the commands of one page.
    private final class Answers: Sendable {
        private let state = Mutex((recorded: 0, isRefused: false))

        func add(_ outcome: GroupCommit<CommandDecider>.Outcome) {
            state.withLock { state in
                switch outcome {
                case .success(.success(let acceptance)): state.recorded += acceptance.facts.count
                // The command was rejected or failed. Its entry remains in the model, and the next pass retries.
                case .success(.failure): break
                case .failure: state.isRefused = true
                }
            }
        }

        /// The number of recorded events; nil if the writer accepts no commands for now.
        var recorded: Int? { state.withLock { $0.isRefused ? nil : $0.recorded } }
    }
}

extension DueEntry {
    /// The command that the scheduler offers for this entry.
    ///
    /// - Parameter newNotice: the id of a notice that the command may post.
    func command(_ newNotice: @autoclosure () -> NoticeID) -> Command {
        switch subject {
        case .notice(let notice): .publishNotice(PublishNotice(notice: notice))
        case .card(let card): .ageCard(AgeCard(card: card, notice: newNotice()))
        case .transfer(let shop): .lapseTransfer(LapseTransfer(shop: shop))
        }
    }
}
