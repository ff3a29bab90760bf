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
///
/// Alerts of saved searches are found by `alerts`, some in each pass, by the passed time: a clock set ahead brings none early.
///
/// An entry that fails delays no other: it stays in the model, and the next pass offers it again. ``failure`` names it meanwhile.
package final class Scheduler: Sendable {
    /// Finds commands for alerts that are due at a moment, within a bounded amount of work.
    package typealias Alerts = @Sendable (Instant) throws(ReadModelError) -> [Command]
    package typealias Offer = @Sendable (Submission, @escaping @Sendable (GroupCommit<CommandDecider>.Outcome) -> Void) -> Void

    private let models: ReadModels
    private let clock: ForwardClock
    private let searchedAtOnce: Int
    private let newNotice: @Sendable () -> NoticeID
    private let alerts: Alerts
    private let offer: Offer
    /// The last entry searched by ``offerNotices(after:through:continuing:)``. The lock lets only one pass run.
    private let searched = Mutex<DueEntry?>(nil)
    private let isStopped = Atomic(false)
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()
    private let seen = Mutex<ContinuousClock.Instant?>(nil)
    private let failing = Mutex<(since: ContinuousClock.Instant, reason: String)?>(nil)

    package init(
        _ models: ReadModels, clock: ForwardClock, searchedAtOnce: Int = Limits.dueSearchedAtOnce,
        newNotice: @escaping @Sendable () -> NoticeID, alerts: @escaping Alerts = { (_) throws(ReadModelError) in [] },
        offer: @escaping Offer
    ) {
        (self.models, self.clock, self.searchedAtOnce) = (models, clock, searchedAtOnce)
        (self.newNotice, self.alerts, self.offer) = (newNotice, alerts, offer)
    }

    /// Starts the thread. Call at most once.
    package func start(periodSeconds: Double) {
        AwaitedThread.start("scheduler", in: ended) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                seen.withLock { $0 = .now }
                // `failure` keeps the error.
                _ = try? pass()
                _ = wake.wait(seconds: periodSeconds)
            }
        }
    }

    package var silentSeconds: Double { seen.withLock { $0 }.map { (.now - $0) / .seconds(1) } ?? 0 }

    /// Nil after a pass that could find and record everything due; `seconds` since when all have failed.
    package var failure: (reason: String, seconds: Double)? { failing.withLock { $0 }.map { ($0.reason, (.now - $0.since) / .seconds(1)) } }

    /// Stops the thread, and blocks until offered commands are answered. Call this before the writer stops.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    /// Blocks. Returns the number of recorded events.
    @discardableResult
    package func pass() throws(ReadModelError) -> Int {
        let answers = Answers()
        do throws(ReadModelError) {
            try searched.withLock { (searched) throws(ReadModelError) in try offerDue(continuing: &searched, answers) }
        } catch {
            note("\(error)")
            throw error
        }
        // If the writer refuses the commands, the pass shows neither a failure nor a recovery.
        if let failure = answers.failure { note("\(failure)") } else if !answers.isRefused { failing.withLock { $0 = nil } }
        return answers.recorded
    }

    private func note(_ reason: String) { failing.withLock { $0 = ($0?.since ?? .now, reason) } }

    private func offerDue(continuing searched: inout DueEntry?, _ answers: Answers) throws(ReadModelError) {
        let (passed, now) = (clock.passed(), clock.now())
        var last: DueEntry?
        while !isStopped.load(ordering: .acquiring) {
            let page = try models.deadlines.due(through: passed, after: last, limit: Limits.dueCommandsAtOnce)
            guard !page.isEmpty, offerAll(page, at: passed, answers) else { break }
            last = page.last
        }
        try offerNotices(after: passed, through: now, continuing: &searched, answers)
        guard !isStopped.load(ordering: .acquiring) else { return }
        _ = offerAll(try alerts(passed).map { Submission(command: $0, caller: .system, at: passed) }, answers)
    }

    /// Offers the notices that are due by the service's clock and not yet by the passed time; cards and offers wait. Continues after
    /// `searched`, because a clock set far ahead may leave millions of cards in between.
    private func offerNotices(
        after passed: Instant, through now: Instant, continuing searched: inout DueEntry?, _ answers: Answers
    ) throws(ReadModelError) {
        let begin = DueEntry(dueAt: passed, .notice(NoticeID(0)))
        let start = searched.flatMap { $0.dueAt > passed ? $0 : nil } ?? begin
        let found = try models.deadlines.due(through: now, after: start, limit: searchedAtOnce)
        var notices = found.filter { if case .notice = $0.subject { true } else { false } }[...]
        while !notices.isEmpty {
            let page = Array(notices.prefix(Limits.dueCommandsAtOnce))
            guard !isStopped.load(ordering: .acquiring), offerAll(page, at: passed, answers) else { return }
            notices = notices.dropFirst(page.count)
        }
        searched = found.count == searchedAtOnce ? found.last : nil
    }

    /// Returns false if the writer accepts no commands.
    ///
    /// - Parameter passed: the time for cards and offers. By the service's clock, a card due for a reminder would end while the clock is
    ///   ahead.
    private func offerAll(_ page: [DueEntry], at passed: Instant, _ answers: Answers) -> Bool {
        let submissions = page.map { entry in
            let time: Instant? = if case .notice = entry.subject { nil } else { passed }
            return Submission(command: entry.command(newNotice()), caller: .system, at: time)
        }
        return offerAll(submissions, answers)
    }

    private func offerAll(_ page: [Submission], _ answers: Answers) -> Bool {
        let began = ContinuousClock.now
        let open = DispatchGroup()
        for submission in page {
            open.enter()
            offer(submission) { outcome in
                answers.add(outcome)
                open.leave()
            }
        }
        open.wait()
        seen.withLock { if $0 != nil { $0 = .now } }
        guard !answers.isRefused else { return false }
        if page.count == Limits.dueCommandsAtOnce { Self.rest(after: .now - began) }
        return true
    }

    /// Pauses in proportion to the last page's time, so that a slow disk slows the scheduler, not the stamps.
    private static func rest(after duration: Duration) {
        Thread.sleep(forTimeInterval: min(duration / .seconds(1) * Limits.dueRestFactor, Limits.dueRestSecondsMax))
    }

    /// The outcomes of one pass.
    private final class Answers: Sendable {
        private let state = Mutex((recorded: 0, isRefused: false, failure: ServiceError?.none))

        func add(_ outcome: GroupCommit<CommandDecider>.Outcome) {
            state.withLock { state in
                switch outcome {
                case .success(.success(let acceptance)): state.recorded += acceptance.facts.count
                // The model was stale.
                case .success(.failure(.rejected)): break
                case .success(.failure(let error)): state.failure = error
                case .failure: state.isRefused = true
                }
            }
        }

        var recorded: Int { state.withLock { $0.recorded } }
        var isRefused: Bool { state.withLock { $0.isRefused } }
        var failure: ServiceError? { state.withLock { $0.failure } }
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
