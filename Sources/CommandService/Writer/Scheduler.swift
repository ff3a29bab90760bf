import Dispatch
package import EventLog
import Foundation
package import Loyalty
package import Projections
package import ReadModels
import Synchronization

/// Triggers events whose time has come: offers a command to the writer for each due entry of `Deadlines`.
///
/// The writer decides by the log, so an entry of a stale model adds no second event. A timer instead of the poll each second would have to
/// be renewed whenever the clock is set.
///
/// Notices are due by the service's clock. The end of a card or of a shop's offer is final, so these are due by ``ForwardClock/passed()``:
/// a clock set ahead, even for a moment, ends nothing. At most ``Limits/dueCommandsAtOnce`` commands wait at a time, with pauses for
/// stamps.
package final class Scheduler: Sendable {
    package typealias Offer = @Sendable (Submission, @escaping @Sendable (GroupCommit<CommandDecider>.Outcome) -> Void) -> Void

    private let models: ReadModels
    private let clock: ForwardClock
    private let searchedAtOnce: Int
    private let newNotice: @Sendable () -> NoticeID
    private let offer: Offer
    /// The last entry searched by ``offerNotices(after:through:continuing:)``. The lock lets only one pass run.
    private let searched = Mutex<DueEntry?>(nil)
    private let isStopped = Atomic(false)
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()
    private let seen = Mutex<ContinuousClock.Instant?>(nil)

    package init(
        _ models: ReadModels, clock: ForwardClock, searchedAtOnce: Int = Limits.dueSearchedAtOnce,
        newNotice: @escaping @Sendable () -> NoticeID, offer: @escaping Offer
    ) {
        (self.models, self.clock, self.searchedAtOnce) = (models, clock, searchedAtOnce)
        (self.newNotice, self.offer) = (newNotice, offer)
    }

    /// Starts the thread. Call at most once.
    package func start(periodSeconds: Double) {
        AwaitedThread.start("scheduler", in: ended) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                seen.withLock { $0 = .now }
                _ = try? pass()
                _ = wake.wait(seconds: periodSeconds)
            }
        }
    }

    package var silentSeconds: Double { seen.withLock { $0 }.map { (.now - $0) / .seconds(1) } ?? 0 }

    /// Stops the thread, and blocks until offered commands are answered. Call this before the writer stops.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    /// Offers a command for everything due by the model. Blocks. Returns the number of recorded events.
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

    /// Offers the notices that are due by the service's clock and not yet by the passed time; cards and offers wait. Continues after
    /// `searched`, because a clock set far ahead may leave millions of cards in between.
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

    /// Offers the commands of a page, waits for their answers, and pauses after a full page. Returns nil if the writer accepts no commands.
    ///
    /// - Parameter passed: the time for cards and offers. By the service's clock, a card due for a reminder would end while the clock is
    ///   ahead.
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

    /// Pauses in proportion to the last page's time, so that a slow disk slows the scheduler, not the stamps.
    private static func rest(after duration: Duration) {
        Thread.sleep(forTimeInterval: min(duration / .seconds(1) * Limits.dueRestFactor, Limits.dueRestSecondsMax))
    }

    private final class Answers: Sendable {
        private let state = Mutex((recorded: 0, isRefused: false))

        func add(_ outcome: GroupCommit<CommandDecider>.Outcome) {
            state.withLock { state in
                switch outcome {
                case .success(.success(let acceptance)): state.recorded += acceptance.facts.count
                // The entry remains in the model, and the next pass retries.
                case .success(.failure): break
                case .failure: state.isRefused = true
                }
            }
        }

        var recorded: Int? { state.withLock { $0.isRefused ? nil : $0.recorded } }
    }
}

extension DueEntry {
    func command(_ newNotice: @autoclosure () -> NoticeID) -> Command {
        switch subject {
        case .notice(let notice): .publishNotice(PublishNotice(notice: notice))
        case .card(let card): .ageCard(AgeCard(card: card, notice: newNotice()))
        case .transfer(let shop): .lapseTransfer(LapseTransfer(shop: shop))
        }
    }
}
