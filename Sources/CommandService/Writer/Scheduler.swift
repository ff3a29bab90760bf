import Dispatch
package import EventLog
import Foundation
package import Loyalty
package import Projections
package import ReadModels
import Synchronization

/// Triggers what is due: reads the earliest entries of `Deadlines` and offers a command for each to the writer's queue.
///
/// It decides nothing. The writer judges each command by the log and its own clock, and records the event with its due time. A command
/// whose event is already in the log adds none. So a crash, a restart, a stale model, or a clock that was set costs at most decisions
/// without events, and each thing happens once.
///
/// It polls the model once a second for entries that are due by the service's clock. A timer for the earliest entry would have to be set
/// again whenever the clock is set, and an idle poll costs only a few microseconds.
///
/// At most ``Limits/dueCommandsAtOnce`` commands wait in the queue at a time, and the next are offered when those are durable. However much
/// is due in one night, a stamp therefore waits for a bounded number of decisions, and memory holds one page of entries.
package final class Scheduler: Sendable {
    /// The way to the writer: `GroupCommit.offer`.
    package typealias Offer = @Sendable (Submission, @escaping @Sendable (GroupCommit<CommandDecider>.Outcome) -> Void) -> Void

    private let models: ReadModels
    private let clock: any Clock
    private let newNotice: @Sendable () -> NoticeID
    private let offer: Offer
    /// Held during a pass, so that only one runs at a time.
    private let passing = Mutex(())
    private let isStopped = Atomic(false)
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()

    /// - Parameter newNotice: makes the ids of notices.
    package init(_ models: ReadModels, clock: any Clock, newNotice: @escaping @Sendable () -> NoticeID, offer: @escaping Offer) {
        (self.models, self.clock, self.newNotice, self.offer) = (models, clock, newNotice, offer)
    }

    /// Starts the thread. Call at most once.
    ///
    /// - Parameter periodSeconds: seconds between two looks.
    package func start(periodSeconds: Double) {
        let thread = Thread { [self] in
            while !isStopped.load(ordering: .acquiring) {
                // A model that cannot be read reports that in its own status; the next pass retries.
                _ = try? pass()
                _ = wake.wait(timeout: .now() + periodSeconds)
            }
            ended.leave()
        }
        ended.enter()
        thread.name = "scheduler"
        thread.start()
    }

    /// Ends after the commands that were offered. Blocks. Call before the writer stops.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    /// Offers everything that is due now according to the model. Blocks.
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
                guard !page.isEmpty, let events = offerAll(page) else { break }
                recorded += events
                last = page.last
            }
            return recorded
        }
    }

    /// Offers the commands of a page and waits until they are durable.
    ///
    /// - Returns: the number of recorded events; nil if the writer takes no more for now.
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

    /// The outcomes of one page.
    private final class Answers: Sendable {
        private let state = Mutex((recorded: 0, isRefused: false))

        func add(_ outcome: GroupCommit<CommandDecider>.Outcome) {
            state.withLock { state in
                switch outcome {
                case .success(.success(let acceptance)): state.recorded += acceptance.facts.count
                // The entry stays, and the next pass retries.
                case .success(.failure): break
                case .failure: state.isRefused = true
                }
            }
        }

        /// The number of recorded events; nil if the writer takes no more for now.
        var recorded: Int? { state.withLock { $0.isRefused ? nil : $0.recorded } }
    }
}

extension DueEntry {
    /// The command for this entry.
    ///
    /// - Parameter newNotice: the id of a notice that the command may post.
    func command(_ newNotice: @autoclosure () -> NoticeID) -> Command {
        switch subject {
        case .notice(let notice): .publishNotice(PublishNotice(notice: notice))
        case .card(let card): .ageCard(AgeCard(card: card, notice: newNotice()))
        }
    }
}
