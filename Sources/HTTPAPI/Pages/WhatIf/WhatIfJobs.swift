import CommandService
import Composition
import Dispatch
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Projections
import Synchronization
import WhatIf

/// The what-if questions of shops' people, answered one at a time on a thread of the lowest priority, never on a request's.
///
/// Everything is bounded: the jobs that wait, the events of each, the answers that are kept and for how long. An account has one job: its
/// next question ends the one before. A job ends when nobody has asked about it for a while, because its asker has left, and all of them
/// end at ``stop()``. Nothing is stored: after a restart the question is asked again. Any thread may call.
final class WhatIfJobs: Sendable {
    /// The number of a job in this process, which means something to its asker alone.
    typealias Number = UInt64

    /// A job as its asker sees it.
    struct Job: Sendable {
        enum State: Sendable {
            /// This many others come first.
            case waiting(before: Int)
            /// The number of events that are decided, and of all; 0 of 0 while they are looked for.
            case running(done: Int, of: Int)
            case done(WhatIfReport)
            /// Its asker stopped it, or left.
            case stopped
            case tooLong
            case failed
        }

        let question: WhatIfQuestion
        fileprivate(set) var state: State
        fileprivate var askedAt: Instant

        /// Whether nothing of it will change any more.
        var isOver: Bool {
            switch state {
            case .waiting, .running: false
            case .done, .stopped, .tooLong, .failed: true
            }
        }
    }

    /// Answers a question on the jobs' thread. It asks regularly whether to go on, with its progress.
    typealias Work = @Sendable (WhatIfQuestion, (Int, Int) -> Bool) throws -> CampaignWhatIf.Outcome

    fileprivate struct State {
        var last: Number = 0
        var jobs: [Number: Job] = [:]
        /// Those that wait, the next one first.
        var queue: [Number] = []
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

    /// Answers questions from a log.
    convenience init(reading log: EventLog, clock: any Clock) {
        self.init(clock: clock) { question, goesOn in
            let question = CampaignWhatIf(question.rules, of: question.campaign.id, at: [question.campaign.shop])
            return try question.run(on: log, eventsMax: Limits.whatIfEventsMax, progress: goesOn)
        }
    }

    /// Queues a question. The account's job before it ends.
    ///
    /// - Throws: `overloaded` where as many wait as may, `stopping` at the end of the process.
    func start(_ question: WhatIfQuestion) throws(Problem) -> Number {
        let now = clock.steady()
        let (number, needsThread, problem) = state.withLock { state -> (Number, Bool, Problem?) in
            if state.isStopping { return (0, false, Problem(.stopping)) }
            state.endAll(of: question.account)
            state.forget(at: now)
            guard state.queue.count < Limits.whatIfWaitingMax else {
                return (0, false, Problem(.overloaded, retryAfterSeconds: Limits.whatIfRetrySeconds))
            }
            state.last += 1
            state.jobs[state.last] = Job(question: question, state: .waiting(before: 0), askedAt: now)
            state.queue.append(state.last)
            defer { state.hasThread = true }
            if !state.hasThread { thread.enter() }
            return (state.last, !state.hasThread, nil)
        }
        if let problem { throw problem }
        if needsThread { startThread() }
        return number
    }

    /// The state of an account's job; nil if it has none of this number. Whoever asks is still there.
    func find(_ number: Number, of account: AccountID) -> Job? {
        let now = clock.steady()
        return state.withLock { state in
            state.forget(at: now)
            guard var job = state.jobs[number], job.question.account == account else { return nil }
            job.askedAt = now
            state.jobs[number] = job
            if case .waiting = job.state { job.state = .waiting(before: state.queue.firstIndex(of: number) ?? 0) }
            return job
        }
    }

    /// Ends a job of the account, if it has one of this number.
    func end(_ number: Number, of account: AccountID) {
        state.withLock { state in
            if state.jobs[number]?.question.account == account { state.end(number) }
        }
    }

    /// Ends every job and the thread, and takes no more. Blocks until the thread has ended.
    @available(*, noasync)
    func stop() {
        state.withLock { state in
            state.isStopping = true
            for number in state.jobs.keys { state.end(number) }
        }
        thread.wait()
    }

    // MARK: The thread

    private func startThread() {
        let thread = Thread { [self] in
            LowPriority.begin()
            while let (number, question) = next() { run(number, question) }
            self.thread.leave()
        }
        thread.name = "what-if"
        thread.start()
    }

    /// The next job; nil if there is none, and with it the thread ends.
    private func next() -> (Number, WhatIfQuestion)? {
        let now = clock.steady()
        return state.withLock { state in
            state.forget(at: now)
            while let number = state.queue.first {
                state.queue.removeFirst()
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
            // One that was ended meanwhile stays so.
            if case .running = state.jobs[number]?.state { state.jobs[number]?.state = end }
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
    /// Whether its asker has gone.
    fileprivate func isLeft(at now: Instant) -> Bool { askedAt.advanced(bySeconds: Limits.whatIfPatienceSeconds) < now }

    /// Whether its answer is kept no longer.
    fileprivate func isForgotten(at now: Instant) -> Bool { isOver && askedAt.advanced(bySeconds: Limits.whatIfKeptSeconds) < now }
}

extension WhatIfJobs.State {
    fileprivate mutating func end(_ number: WhatIfJobs.Number) {
        guard let job = jobs[number], !job.isOver else { return }
        jobs[number]?.state = .stopped
        queue.removeAll { $0 == number }
    }

    fileprivate mutating func endAll(of account: AccountID) {
        for (number, job) in jobs where job.question.account == account { end(number) }
    }

    /// Ends jobs that nobody waits for, and drops old answers: of more than ``Limits/whatIfKeptMax``, those read least recently.
    fileprivate mutating func forget(at now: Instant) {
        for number in queue where jobs[number]?.isLeft(at: now) == true { end(number) }
        jobs = jobs.filter { !$0.value.isForgotten(at: now) }
        let over = jobs.filter(\.value.isOver).keys.sorted { (jobs[$0]?.askedAt ?? now, $0) < (jobs[$1]?.askedAt ?? now, $1) }
        for number in over.dropLast(Limits.whatIfKeptMax) { jobs[number] = nil }
    }
}
