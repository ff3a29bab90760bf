import BackgroundWork
import Caches
import CommandService
import Dispatch
import EventLog
import Loyalty
import Synchronization
import WhatIf

/// Answers what-if questions one at a time, on a thread of the lowest priority. Any thread may call.
///
/// Waiting jobs, their events, and kept answers are limited, with shares for accounts and addresses. An account has one unfinished job: its
/// next question ends the previous one. A job also ends without requests for its progress, and at ``stop()``. Jobs do not survive a
/// restart.
final class WhatIfJobs: Sendable {
    /// Valid in this process, for the asking account.
    typealias Number = UInt64

    struct Job: Sendable {
        enum State: Sendable {
            /// `before`: the waiting jobs that come first.
            case waiting(before: Int)
            /// Processed and all events; both 0 until the events are found.
            case running(done: Int, of: Int)
            case done(WhatIfReport)
            /// Ended without an answer: by the account, for lack of requests, or because the process ends.
            case stopped
            case tooLong
            case failed
        }

        let question: WhatIfQuestion
        fileprivate(set) var state: State
        fileprivate var askedAt: Instant
        fileprivate let share: PoolShare
        /// Among the kept answers, once the job is over.
        fileprivate var place: UInt64?

        var isOver: Bool {
            switch state {
            case .waiting, .running: false
            case .done, .stopped, .tooLong, .failed: true
            }
        }
    }

    /// Answers a question on the jobs' thread. Calls the closure with processed and all events, and stops if it returns false.
    typealias Work = @Sendable (WhatIfQuestion, (Int, Int) -> Bool) throws -> CampaignWhatIf.Outcome

    fileprivate struct State {
        var last: Number = 0
        var jobs: [Number: Job] = [:]
        var queue = SharedPool<Number>(Pools.whatIfQueue.terms)
        var kept = SharedPool<Number>(Pools.whatIfAnswers.terms)
        var hasThread = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let thread = DispatchGroup()
    private let clock: any Clock
    private let work: Work

    init(clock: any Clock, work: @escaping Work) { (self.clock, self.work) = (clock, work) }

    convenience init(reading log: EventLog, clock: any Clock) {
        self.init(clock: clock) { question, goesOn in
            let question = CampaignWhatIf(question.rules, of: question.campaign.id, at: [question.campaign.shop])
            return try question.run(on: log, eventsMax: Limits.whatIfEventsMax, progress: goesOn)
        }
    }

    /// Queues a question, and ends the account's previous job.
    ///
    /// - Throws: `overloaded` if too many jobs wait, `stopping` if the process ends.
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

    /// Nil if the account has no such job. Counts as a request for its progress.
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

    /// Does nothing if the account has no such job.
    func end(_ number: Number, of account: AccountID) {
        state.withLock { state in
            if state.jobs[number]?.question.account == account { state.end(number) }
        }
    }

    /// Ends every job, and blocks until the thread has ended.
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

    /// Nil if no job waits; the thread then ends.
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
            // If the job was ended while it ran, it stays `stopped`.
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
    /// The asker is assumed to have left.
    fileprivate func isLeft(at now: Instant) -> Bool { askedAt.advanced(bySeconds: Limits.whatIfPatienceSeconds) < now }

    /// The answer may be dropped.
    fileprivate func isForgotten(at now: Instant) -> Bool { isOver && askedAt.advanced(bySeconds: Limits.whatIfKeptSeconds) < now }
}

extension WhatIfJobs.State {
    fileprivate mutating func end(_ number: WhatIfJobs.Number) { close(number, as: .stopped) }

    /// A full pool drops the oldest answer of the account with the most.
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

    /// Ends abandoned jobs, and drops old answers.
    fileprivate mutating func forget(at now: Instant) {
        for number in Array(queue.values) where jobs[number]?.isLeft(at: now) == true { end(number) }
        for (number, job) in jobs where job.isForgotten(at: now) {
            if let place = job.place { kept.remove(place) }
            jobs[number] = nil
        }
    }
}
