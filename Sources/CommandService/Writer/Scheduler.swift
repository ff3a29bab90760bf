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
/// It polls the model once a second for entries that are due. A timer for the earliest entry would have to be renewed whenever the clock is
/// set, and a poll that finds nothing costs only a few microseconds.
///
/// Notices are due by the service's clock. The end of a card or of a shop's offer is final, so these are due by
/// ``ForwardClock/passed()``: a clock that is set ahead, even for a moment, ends nothing. If the clock was behind when the process started,
/// the ends are recorded, and reminders are sent, after the next start. Until then, every rule knows the ends by the clock.
///
/// At most ``Limits/dueCommandsAtOnce`` commands wait in the queue at a time. The next commands are offered when the waiting ones are
/// durable and the scheduler has paused for ``Limits/dueRestFactor`` times the time that they took. So however many entries are due in one
/// night, a stamp waits for a limited number of decisions, most of the writer's time is left to others, and only one page of entries is in
/// memory.
package final class Scheduler: Sendable {
    /// The function that passes a command to the writer: `GroupCommit.offer`.
    package typealias Offer = @Sendable (Submission, @escaping @Sendable (GroupCommit<CommandDecider>.Outcome) -> Void) -> Void

    private let models: ReadModels
    private let clock: ForwardClock
    private let searchedAtOnce: Int
    private let newNotice: @Sendable () -> NoticeID
    private let offer: Offer
    /// The last entry of the search in ``offerNotices(after:through:continuing:)``; nil if the next search begins anew. The lock is held
    /// during a pass, so that only one pass runs at a time.
    private let searched = Mutex<DueEntry?>(nil)
    private let isStopped = Atomic(false)
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()
    /// The last moment at which the thread was seen at work; nil before it starts.
    private let seen = Mutex<ContinuousClock.Instant?>(nil)

    /// Creates a scheduler. ``start(periodSeconds:)`` starts its thread.
    ///
    /// - Parameters:
    ///   - searchedAtOnce: the number of entries that a pass searches for notices while the clock is ahead. Tests make it small.
    ///   - newNotice: makes the ids of notices.
    package init(
        _ models: ReadModels, clock: ForwardClock, searchedAtOnce: Int = Limits.dueSearchedAtOnce,
        newNotice: @escaping @Sendable () -> NoticeID, offer: @escaping Offer
    ) {
        (self.models, self.clock, self.searchedAtOnce) = (models, clock, searchedAtOnce)
        (self.newNotice, self.offer) = (newNotice, offer)
    }

    /// Starts the thread. Call at most once.
    ///
    /// - Parameter periodSeconds: seconds between two passes.
    package func start(periodSeconds: Double) {
        AwaitedThread.start("scheduler", in: ended) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                // If a model cannot be read, its own status reports that; the next pass retries.
                seen.withLock { $0 = .now }
                _ = try? pass()
                _ = wake.wait(seconds: periodSeconds)
            }
        }
    }

    /// Seconds since the thread was last seen at work; 0 if none was started.
    package var silentSeconds: Double { seen.withLock { $0 }.map { (.now - $0) / .seconds(1) } ?? 0 }

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
        try searched.withLock { (searched) throws(ReadModelError) in
            let passed = clock.passed()
            let now = clock.now()
            var (last, recorded): (DueEntry?, Int) = (nil, 0)
            while !isStopped.load(ordering: .acquiring) {
                let page = try models.deadlines.due(through: passed, after: last, limit: Limits.dueCommandsAtOnce)
                guard !page.isEmpty, let events = offerAll(page, at: passed) else { break }
                recorded += events
                last = page.last
            }
            return try recorded + offerNotices(after: passed, through: now, continuing: &searched)
        }
    }

    /// Offers the commands of notices that are due by the service's clock and not yet by the time that has passed. The cards and
    /// offers among the entries wait.
    ///
    /// A clock that was set far ahead may leave millions of cards in this range. So each call reads a limited number of entries, and the
    /// next call continues after them.
    ///
    /// - Parameter searched: the last entry that was read; nil if the next call begins anew.
    /// - Returns: the number of recorded events.
    private func offerNotices(
        after passed: Instant, through now: Instant, continuing searched: inout DueEntry?
    ) throws(ReadModelError) -> Int {
        let begin = DueEntry(dueAt: passed, .notice(NoticeID(0)))
        let start = searched.flatMap { $0.dueAt > passed ? $0 : nil } ?? begin
        let found = try models.deadlines.due(through: now, after: start, limit: searchedAtOnce)
        var notices = found.filter { if case .notice = $0.subject { true } else { false } }[...]
        var recorded = 0
        while !notices.isEmpty {
            let page = Array(notices.prefix(Limits.dueCommandsAtOnce))
            guard !isStopped.load(ordering: .acquiring), let events = offerAll(page, at: passed) else { return recorded }
            recorded += events
            notices = notices.dropFirst(page.count)
        }
        searched = found.count == searchedAtOnce ? found.last : nil
        return recorded
    }

    /// Offers the commands of a page of entries, and waits until the writer has answered all of them. Pauses after a full page.
    ///
    /// - Parameter passed: the time for the commands of cards and offers. If cards were decided by the service's clock, a card that is due
    ///   for a reminder would end while the clock is ahead.
    /// - Returns: the number of recorded events; nil if the writer accepts no commands for now.
    private func offerAll(_ page: [DueEntry], at passed: Instant) -> Int? {
        let began = ContinuousClock.now
        let answers = DispatchGroup()
        let answered = Answers()
        for entry in page {
            answers.enter()
            let time: Instant? = if case .notice = entry.subject { nil } else { passed }
            offer(Submission(command: entry.command(newNotice()), caller: .system, at: time)) { outcome in
                answered.add(outcome)
                answers.leave()
            }
        }
        answers.wait()
        seen.withLock { if $0 != nil { $0 = .now } }
        guard let recorded = answered.recorded else { return nil }
        if page.count == Limits.dueCommandsAtOnce { Self.rest(after: .now - began) }
        return recorded
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
