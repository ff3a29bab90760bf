import BackgroundWork
import Caches
import CommandService
import Composition
import Dispatch
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Synchronization
import WhatIf

/// Answers the what-if questions that owners and managers of shops ask, one at a time, on a thread of the lowest priority and never on the
/// thread of a request.
///
/// A question becomes a job. The number of waiting jobs, the events of each job, and the number and age of kept answers are limited, each
/// with shares for an account and an address; addresses have turns. An account has at most one unfinished job: its next question ends the
/// previous job. A job also ends if its progress was not requested for
/// some time, and all jobs end at ``stop()``. Jobs are not stored, so after a restart the question must be asked again. Any thread may call
/// the methods.
final class WhatIfJobs: Sendable {
    /// The number of a job. It is valid only in this process, and only for the account that asked the question.
    typealias Number = UInt64

    /// A job as the asking account sees it.
    struct Job: Sendable {
        enum State: Sendable {
            /// The job waits. `before` is the number of other waiting jobs that come first.
            case waiting(before: Int)
            /// The job runs. `done` is the number of events processed so far, and `of` is the number of all events. Both are 0 until the
            /// events have been found.
            case running(done: Int, of: Int)
            case done(WhatIfReport)
            /// The job ended without an answer: the account stopped it, asked another question or no longer requested its progress, or the
            /// process is ending.
            case stopped
            case tooLong
            case failed
        }

        let question: WhatIfQuestion
        fileprivate(set) var state: State
        fileprivate var askedAt: Instant
        fileprivate let share: PoolShare
        /// The place among the kept answers, once the job is over.
        fileprivate var place: UInt64?

        /// Whether the state is final.
        var isOver: Bool {
            switch state {
            case .waiting, .running: false
            case .done, .stopped, .tooLong, .failed: true
            }
        }
    }

    /// A function that answers a question on the jobs' thread. It regularly calls the closure with the numbers of processed events and of
    /// all events, and stops if the closure returns false.
    typealias Work = @Sendable (WhatIfQuestion, (Int, Int) -> Bool) throws -> CampaignWhatIf.Outcome

    fileprivate struct State {
        var last: Number = 0
        var jobs: [Number: Job] = [:]
        /// The numbers of the waiting jobs, and of those that are over.
        var queue = SharedPool<Number>(Pools.whatIfQueue.terms)
        var kept = SharedPool<Number>(Pools.whatIfAnswers.terms)
        var hasThread = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let thread = DispatchGroup()
    private let clock: any Clock
    private let work: Work

    init(clock: any Clock, work: @escaping Work) {
        (self.clock, self.work) = (clock, work)
    }

    /// Creates a queue that answers questions from a log.
    convenience init(reading log: EventLog, clock: any Clock) {
        self.init(clock: clock) { question, goesOn in
            let question = CampaignWhatIf(question.rules, of: question.campaign.id, at: [question.campaign.shop])
            return try question.run(on: log, eventsMax: Limits.whatIfEventsMax, progress: goesOn)
        }
    }

    /// Queues a question. Ends the account's previous job.
    ///
    /// - Throws: `overloaded` if too many jobs are waiting, `stopping` if the process is ending.
    func start(_ question: WhatIfQuestion) throws(Problem) -> Number {
        let now = clock.steady()
        var share = PoolClient.share
        share.account = question.account.value
        let (number, needsThread, problem) = state.withLock { [share] state -> (Number, Bool, Problem?) in
            if state.isStopping { return (0, false, Problem(.stopping)) }
            state.endAll(of: question.account)
            state.forget(at: now)
            guard let added = state.queue.add(state.last + 1, of: share) else {
                return (0, false, Problem(.overloaded, retryAfterSeconds: Limits.whatIfRetrySeconds))
            }
            for number in added.displaced { state.close(number, as: .failed) }
            state.last += 1
            state.jobs[state.last] = Job(question: question, state: .waiting(before: 0), askedAt: now, share: share)
            defer { state.hasThread = true }
            if !state.hasThread { thread.enter() }
            return (state.last, !state.hasThread, nil)
        }
        if let problem { throw problem }
        if needsThread { startThread() }
        return number
    }

    /// A job of an account, with its present state; nil if the account has no job of this number. The call counts as a request for the
    /// job's progress, so that the job is not ended as abandoned.
    func find(_ number: Number, of account: AccountID) -> Job? {
        let now = clock.steady()
        return state.withLock { state in
            state.forget(at: now)
            guard var job = state.jobs[number], job.question.account == account else { return nil }
            job.askedAt = now
            state.jobs[number] = job
            if let place = job.place { state.kept.use(place) }
            if case .waiting = job.state { job.state = .waiting(before: state.queue.countBefore { $0 == number }) }
            return job
        }
    }

    /// Ends a job of the account; does nothing if the account has no job of this number.
    func end(_ number: Number, of account: AccountID) {
        state.withLock { state in
            if state.jobs[number]?.question.account == account { state.end(number) }
        }
    }

    /// Ends every job and the thread, and accepts no more jobs. Blocks until the thread has ended.
    @available(*, noasync)
    func stop() {
        state.withLock { state in
            state.isStopping = true
            for number in state.jobs.keys { state.end(number) }
        }
        thread.wait()
    }

    // MARK: The thread that answers questions

    private func startThread() {
        let isStarted = AwaitedThread.startIfPossible("what-if", in: thread) { [self] in
            LowPriority.begin()
            while let (number, question) = next() { run(number, question) }
            thread.leave()
        }
        if isStarted { return }
        // The system refuses the thread. The next question tries again.
        state.withLock { state in
            for number in state.queue.removeAll(where: { _ in true }) { state.close(number, as: .failed) }
            state.hasThread = false
        }
        thread.leave()
    }

    /// Takes the next waiting job from the queue; nil if no job is waiting, in which case the thread ends.
    private func next() -> (Number, WhatIfQuestion)? {
        let now = clock.steady()
        return state.withLock { state in
            state.forget(at: now)
            while let number = state.queue.next() {
                guard let question = state.jobs[number]?.question else { continue }
                state.jobs[number]?.state = .running(done: 0, of: 0)
                return (number, question)
            }
            state.hasThread = false
            return nil
        }
    }

    private func run(_ number: Number, _ question: WhatIfQuestion) {
        let end: Job.State
        do {
            end =
                switch try work(question, { goesOn(number, done: $0, of: $1) }) {
                case .report(let report): .done(report)
                case .stopped: .stopped
                case .tooLong: .tooLong
                }
        } catch {
            end = .failed
        }
        let now = clock.steady()
        state.withLock { state in
            // The job may have been ended while it ran. It then keeps the state `stopped`.
            if case .running = state.jobs[number]?.state { state.close(number, as: end) }
            state.forget(at: now)
        }
    }

    private func goesOn(_ number: Number, done: Int, of total: Int) -> Bool {
        let now = clock.steady()
        return state.withLock { state in
            guard let job = state.jobs[number], case .running = job.state else { return false }
            guard !job.isLeft(at: now) else {
                state.end(number)
                return false
            }
            state.jobs[number]?.state = .running(done: done, of: total)
            return true
        }
    }
}

extension WhatIfJobs.Job {
    /// Whether the job's progress was not requested for so long that the asking person is assumed to have left.
    fileprivate func isLeft(at now: Instant) -> Bool { askedAt.advanced(bySeconds: Limits.whatIfPatienceSeconds) < now }

    /// Whether the job is over and was not requested for so long that its answer may be dropped.
    fileprivate func isForgotten(at now: Instant) -> Bool { isOver && askedAt.advanced(bySeconds: Limits.whatIfKeptSeconds) < now }
}

extension WhatIfJobs.State {
    fileprivate mutating func end(_ number: WhatIfJobs.Number) { close(number, as: .stopped) }

    /// Ends a job. In full pools, the oldest answer of the account with the most answers is dropped.
    fileprivate mutating func close(_ number: WhatIfJobs.Number, as end: WhatIfJobs.Job.State) {
        guard let job = jobs[number], !job.isOver else { return }
        jobs[number]?.state = end
        _ = queue.removeAll { $0 == number }
        let added = kept.add(number, of: job.share)
        jobs[number]?.place = added?.id
        for dropped in added?.displaced ?? [] { jobs[dropped] = nil }
    }

    fileprivate mutating func endAll(of account: AccountID) {
        for (number, job) in jobs where job.question.account == account { end(number) }
    }

    /// Ends waiting jobs whose progress is no longer requested, and drops old answers.
    fileprivate mutating func forget(at now: Instant) {
        for number in Array(queue.values) where jobs[number]?.isLeft(at: now) == true { end(number) }
        for (number, job) in jobs where job.isForgotten(at: now) {
            if let place = job.place { kept.remove(place) }
            jobs[number] = nil
        }
    }
}
